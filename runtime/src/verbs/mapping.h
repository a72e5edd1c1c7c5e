/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MAPPING_H
#define VERBSX_SRC_MAPPING_H

/* The memory of this process, as /proc tells of it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is the matter with a range. */
enum vx_mapping_flaw {
	VX_MAPPING_FINE,	/* or /proc does not tell */
	VX_MAPPING_NONE,	/* nothing is mapped there */
	VX_MAPPING_READ_ONLY,
	VX_MAPPING_CLOSED,	/* PROT_NONE */
};

/**
 * Look for the first part of [start, start + length) that a device cannot use.
 *
 * @param write  it is to be written to
 * @param from   where that part begins
 * @param to     and where it ends
 */
enum vx_mapping_flaw vx_mapping_check(uintptr_t start, size_t length, bool write, uintptr_t *from, uintptr_t *to);

/** The size of the pages at an address; 0 where that is not known. */
size_t vx_mapping_page_size(uintptr_t address);

/** The bytes that count against RLIMIT_MEMLOCK now. */
uint64_t vx_mapping_locked(void);

/** In bytes, what a file of /proc such as meminfo has in kB under a name; 0 where it has none. */
uint64_t vx_size_in(const char *path, const char *name);

/* Of huge pages, as MAP_HUGETLB means them. */
#define VX_HUGE_PAGE_SIZE ((size_t)vx_size_in("/proc/meminfo", "Hugepagesize"))

#endif
