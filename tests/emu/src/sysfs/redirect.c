/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Programs that do not ask SYSFS_PATH: what they look for under /sys is in our tree. These
 * are the functions of the C library by which they look, besides those that reach the node.
 */
#define _GNU_SOURCE
#include "sysfs/redirect.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bounds.h"
#include "calls/real.h"
#include "process.h"
#include "sysfs/interfaces.h"
#include "sysfs/order.h"
#include "sysfs/sysfs.h"

#define SYS "/sys/"

/* Below /sys */
static const char *const ours[] = {
	"class/infiniband",   "class/infiniband_verbs",       "class/infiniband_mad",
	"class/misc/rdma_cm", SYSFS_BUS,
};

/* And with the function of PCI after it */
#define CARD "bus/pci/devices/" SYSFS_CARD "."

/* And with a number after it */
#define NET "class/net/" INTERFACE

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

static bool is_ours(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (is_below(path, ours[i]))
			return true;
	return !strncmp(path, CARD, strlen(CARD)) || !strncmp(path, NET, strlen(NET));
}

static const char *lead(const char *path, char to[PATH_MAX])
{
	const char *root = sysfs_root();

	if (path && root && !sysfs_is_mine() && is_below(path, root)) /* by SYSFS_PATH, before there is anything */
		process_discover();
	if (!path || strncmp(path, SYS, strlen(SYS)) || !is_ours(path + strlen(SYS)))
		return path;
	if (!root || snprintf(to, PATH_MAX, "%s/%s", root, path + strlen(SYS)) >= PATH_MAX)
		return path;
	process_discover();
	return to;
}

/* Counters say what they are when somebody looks */
const char *sysfs_redirect(const char *path, char to[PATH_MAX])
{
	const char *leads = lead(path, to), *root = sysfs_root();

	if (leads && root && is_below(leads, root) && strstr(leads + strlen(root), "/counters/"))
		sysfs_count();
	return leads;
}

#define INTERPOSE_PATH(type, name, after, ...)                           \
	INTERPOSED type name(const char *path after)                     \
	{                                                                \
		char to[PATH_MAX];                                       \
                                                                         \
		return REAL(name)(sysfs_redirect(path, to) __VA_ARGS__); \
	}
#define AND ,

INTERPOSE_PATH(FILE *, fopen, AND const char *mode, AND mode)
INTERPOSE_PATH(FILE *, fopen64, AND const char *mode, AND mode)
INTERPOSE_PATH(int, chdir, , )
INTERPOSE_PATH(int, lstat, AND struct stat *st, AND st)
INTERPOSE_PATH(int, lstat64, AND struct stat64 *st, AND st)
INTERPOSE_PATH(ssize_t, readlink, AND char *buf AND size_t size, AND buf AND size)

INTERPOSE_PATH(ssize_t, getxattr, AND const char *attr AND void *value AND size_t size,
	       AND attr AND value AND size)
INTERPOSE_PATH(ssize_t, lgetxattr, AND const char *attr AND void *value AND size_t size,
	       AND attr AND value AND size)

static bool is_class(const char *path)
{
	const char *root = sysfs_root(), *class;

	if (!path || !root || !is_below(path, root))
		return false;
	class = path + strlen(root);
	return !strncmp(class, "/class/infiniband", strlen("/class/infiniband"));
}

INTERPOSED DIR *opendir(const char *path)
{
	char to[PATH_MAX];
	const char *real = sysfs_redirect(path, to);
	DIR *d = REAL(opendir)(real);

	if (is_class(real))
		order_by_name(d);
	return d;
}

INTERPOSED ssize_t readlinkat(int dir, const char *path, char *buf, size_t size)
{
	char to[PATH_MAX];

	return REAL(readlinkat)(dir, sysfs_redirect(path, to), buf, size);
}

INTERPOSED int faccessat(int dir, const char *path, int mode, int flags)
{
	char to[PATH_MAX];

	return REAL(faccessat)(dir, sysfs_redirect(path, to), mode, flags);
}

INTERPOSED int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		       int (*compare)(const struct dirent **, const struct dirent **))
{
	char to[PATH_MAX];

	return REAL(scandir)(sysfs_redirect(path, to), list, filter, compare);
}

INTERPOSED int statx(int dir, const char *restrict path, int flags, unsigned int mask,
		     struct statx *restrict st)
{
	char to[PATH_MAX];

	return REAL(statx)(dir, sysfs_redirect(path, to), flags, mask, st);
}

INTERPOSED int fstatat(int dir, const char *restrict path, struct stat *restrict st, int flags)
{
	char to[PATH_MAX];

	return REAL(fstatat)(dir, sysfs_redirect(path, to), st, flags);
}

/* From our tree back to /sys, as what a program makes of the path is about the device there */
static char *back(char *resolved)
{
	const char *root = sysfs_root();
	size_t n = root ? strlen(root) : 0;

	if (!resolved || !root || strncmp(resolved, root, n) || resolved[n] != '/')
		return resolved;
	memmove(resolved + strlen(SYS) - 1, resolved + n, strlen(resolved + n) + 1);
	memcpy(resolved, SYS, strlen(SYS) - 1);
	return resolved;
}

/* Also of a path in the tree itself, to which SYSFS_PATH leads: SYSFS_PATH is longer than /sys */
INTERPOSED char *realpath(const char *restrict path, char *restrict resolved)
{
	char to[PATH_MAX];

	return back(REAL(realpath)(sysfs_redirect(path, to), resolved));
}

char *__realpath_chk(const char *path, char *resolved, size_t size);

INTERPOSED char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	(void)size;
	return realpath(path, resolved);
}
