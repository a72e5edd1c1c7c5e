/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE /* dladdr(3), dlinfo(3) */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "release.h"

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
