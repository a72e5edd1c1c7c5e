/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <dlfcn.h>

#include <verbsx/config.h>
#include <verbsx/version.h>

#include "loader.h"
#include "release.h"

#define LIBIBVERBS "libibverbs.so.1"

const char *vx_version(void)
{
	return VERBSX_VERSION;
}

unsigned int vx_release_built(void)
{
	return VX_RDMA_CORE;
}

unsigned int vx_release_running(void)
{
	return vx_release_of(LIBIBVERBS);
}

#if VERBSX_LOADER

enum vx_link_mode vx_link_mode(void)
{
	return VX_LINK_LOADER;
}

unsigned int vx_release_of(const char *library)
{
	void *handle = vx_loader_open(library);

	return handle ? vx_library_release(handle) : 0;
}

#else

enum vx_link_mode vx_link_mode(void)
{
	return VX_LINK_DIRECT;
}

unsigned int vx_release_of(const char *library)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	unsigned int release;

	if (!handle)
		return 0;
	release = vx_library_release(handle);
	dlclose(handle);
	return release;
}

#endif
