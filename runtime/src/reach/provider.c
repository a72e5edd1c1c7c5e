/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#define _GNU_SOURCE /* dladdr(3) */

#include <dlfcn.h>
#include <string.h>

#include "provider.h"

bool vx_function_is_of(uintptr_t function, const char *library)
{
	const char *name;
	Dl_info where;

	if (!function || !dladdr((void *)function, &where) || !where.dli_fname)
		return false;
	name = strrchr(where.dli_fname, '/');
	name = name ? name + 1 : where.dli_fname;
	return !strncmp(name, library, strlen(library));
}
