/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE /* dladdr(3), dlinfo(3) */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>
#include <verbsx/version.h>

#include "loader.h"
#include "reach.h"

#define LIBIBVERBS "libibverbs.so.1"

unsigned int vx_file_release(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *numbers = strstr(slash ? slash : path, ".so.");
	unsigned int release, sub;

	if (!numbers || sscanf(numbers, ".so.%*u.%*u.%u.%u", &release, &sub) != 2)
		return 0;
	return release;
}

unsigned int vx_library_release(void *handle)
{
	char path[PATH_MAX];
	struct link_map *map;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) < 0 || !realpath(map->l_name, path))
		return 0;
	return vx_file_release(path);
}

bool vx_function_is_of(uintptr_t function, const char *library)
{
	const char *name;
	Dl_info where;

	if (!dladdr((void *)function, &where) || !where.dli_fname)
		return false;
	name = strrchr(where.dli_fname, '/');
	name = name ? name + 1 : where.dli_fname;
	return !strncmp(name, library, strlen(library));
}

bool vx_context_is_of(const struct ibv_context *context, const char *library)
{
	return context && vx_function_is_of((uintptr_t)context->ops.poll_cq, library);
}

const char *vx_version(void)
{
	return VERBSX_VERSION;
}

enum vx_link_kind vx_link_mode(void)
{
	return VERBSX_LOADER ? VX_LINK_LOADER : VX_LINK_DIRECT;
}

unsigned int vx_release_built(void)
{
	return VX_RDMA_CORE;
}

unsigned int vx_release_running(void)
{
	return vx_release_of(LIBIBVERBS);
}

unsigned int vx_release_of(const char *library)
{
#if VERBSX_LOADER
	void *handle = library ? vx_loader_open(library) : NULL;

	return handle ? vx_library_release(handle) : 0;
#else
	void *handle = library ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	unsigned int release = handle ? vx_library_release(handle) : 0;

	if (handle)
		dlclose(handle);
	return release;
#endif
}
