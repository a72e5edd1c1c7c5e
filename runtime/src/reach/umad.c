/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/fail.h"
#include "reach.h"
#include "umad.h"

#define SONAME "libibumad.so.3"
#define PACKAGE "libibumad3 (Debian) or libibumad (Fedora)"
#define VARIABLE "VERBSX_IBUMAD_LIB"
#define MOST_NODES 128		/* that a kernel has by default */
#define LONGEST_WORD 80
#define CLASS "/sys/class/infiniband_mad"
#define NODES "/dev/infiniband"

static const char names[][24] = {
#define NAME(result, name, parameters) "umad_" #name,
	VX_UMAD_CALLS(NAME)
#undef NAME
};

#define COUNT (sizeof(names) / sizeof(names[0]))

_Static_assert(sizeof(struct vx_umad) == COUNT * sizeof(void *), "a pointer for each name");

/* Of what follows. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct vx_umad opened;
static const struct vx_umad *functions;

/* ---- the library ---- */

static int find_symbols(void *library, const char *call)
{
	void *found[COUNT];
	size_t i;

	for (i = 0; i < COUNT; i++) {
		found[i] = dlsym(library, names[i]);
		if (!found[i])
			return vx_fail(-EOPNOTSUPP, call, NULL, "this " SONAME " lacks the symbol %s", names[i]);
	}
	memcpy(&opened, found, sizeof(opened));
	functions = &opened;
	return 0;
}

static int open_umad(const char *call)
{
	const char *file = secure_getenv(VARIABLE);
	bool is_named = file && *file;
	void *library = dlopen(is_named ? file : SONAME, RTLD_LAZY | RTLD_LOCAL);

	if (library)
		return find_symbols(library, call);
	return vx_fail(-ENOSYS, call, NULL, is_named ? "%s (named by " VARIABLE ")" : "%s; it is in the package " PACKAGE, dlerror());
}

int vx_umad_reach(const struct vx_umad **out, const char *call)
{
	int rc;

	pthread_mutex_lock(&opening);
	rc = functions ? 0 : open_umad(call);
	*out = functions;
	pthread_mutex_unlock(&opening);
	return rc;
}

void vx_umad_replace(const struct vx_umad *others)
{
	pthread_mutex_lock(&opening);
	functions = others;
	pthread_mutex_unlock(&opening);
}

/* ---- why a port could not be opened ---- */

/* A word that the kernel has in a file of its class of nodes; by open(2), as libibumad reads it. */
static bool read_word(int node, const char *file, char word[LONGEST_WORD])
{
	char path[sizeof(CLASS) + 48];

	snprintf(path, sizeof(path), CLASS "/umad%d/%s", node, file);
	return vx_first_line(path, word, LONGEST_WORD);
}

/* The number of the node of a port; -1: the kernel has none. */
static int node_of(const char *device, uint32_t port_num)
{
	char word[LONGEST_WORD];
	int i;

	for (i = 0; i < MOST_NODES; i++)
		if (read_word(i, "ibdev", word) && !strcmp(word, device) && read_word(i, "port", word) &&
		    strtoul(word, NULL, 0) == port_num)
			return i;
	return -1;
}

int vx_umad_open_fail(int code, const char *device, uint32_t port_num)
{
	char node[sizeof(NODES) + 24];
	int rc, number = node_of(device, port_num);

	if (number < 0)
		return vx_fail(-ENODEV, "umad_open_port", device,
			       "the kernel has no node for MADs of port %u: ib_umad is not loaded (modprobe ib_umad), or this container has not "
			       CLASS, port_num);
	snprintf(node, sizeof(node), NODES "/umad%d", number);
	rc = vx_file_fail("umad_open_port", device, node, ": MADs are root's, or of who the administrator lets (udev, setfacl(1))");
	return rc < 0 ? rc : vx_fail(code, "umad_open_port", device, "port %u, %s", port_num, node);
}
