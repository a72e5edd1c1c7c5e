/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mapping.h"

#define LONGEST_LINE 512	/* a longer path goes on in what is taken for another line, and looks like none */

struct mapping {
	uintptr_t start, end;
	char rights[5];		/* "rw-p" */
	uint64_t inode;		/* 0: of no file, so its pages are of the usual size */
};

static void end_reading(FILE *file)
{
	if (file)
		fclose(file);
}

/* The next mapping that ends behind an address: "7f0c1000-7f0c2000 rw-p ...". They are in order of the addresses. */
static bool next_mapping(FILE *maps, uintptr_t address, struct mapping *out)
{
	char line[LONGEST_LINE];

	while (maps && fgets(line, LONGEST_LINE, maps))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %" SCNu64, &out->start, &out->end, out->rights,
			   &out->inode) == 4 && out->end > address)
			return true;
	return false;
}

/* "VmLck:      64 kB", the first one behind where the file is; 0 where there is none. */
static uint64_t next_size(FILE *file, const char *name)
{
	size_t length = strlen(name);
	char line[LONGEST_LINE];
	uint64_t kib = 0;

	while (file && fgets(line, LONGEST_LINE, file))
		if (!strncmp(line, name, length) && sscanf(line + length, ": %" SCNu64 " kB", &kib) == 1)
			break;
	return kib << 10;
}

/* From one mapping to the next, up to a hole between them or one that has a flaw. */
enum vx_mapping_flaw vx_mapping_check(uintptr_t start, size_t length, bool write, uintptr_t *from, uintptr_t *to)
{
	enum vx_mapping_flaw flaw = VX_MAPPING_FINE;
	FILE *maps = fopen("/proc/self/maps", "re");
	const uintptr_t end = start + length;
	struct mapping m;

	for (*from = *to = start; maps && flaw == VX_MAPPING_FINE && *to < end;) {
		*from = *to;
		if (!next_mapping(maps, *from, &m))
			m.start = end;
		flaw = m.start > *from ? VX_MAPPING_NONE : m.rights[0] != 'r' ? VX_MAPPING_CLOSED :
		       write && m.rights[1] != 'w' ? VX_MAPPING_READ_ONLY : VX_MAPPING_FINE;
		*to = m.start > *from ? m.start : m.end;
		if (*to > end)
			*to = end;
	}
	end_reading(maps);
	return flaw;
}

/*
 * Only what a file of hugetlbfs or like one lies behind is in huge pages. Only then smaps is asked, for which the kernel walks the
 * pages of each mapping: some ms for 2 GiB.
 */
size_t vx_mapping_page_size(uintptr_t address)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	FILE *maps = fopen("/proc/self/maps", "re"), *smaps = NULL;
	struct mapping m;

	if (!next_mapping(maps, address, &m) || m.start > address || m.inode) {
		smaps = fopen("/proc/self/smaps", "re");
		size = next_mapping(smaps, address, &m) && m.start <= address ? (size_t)next_size(smaps, "KernelPageSize") : 0;
	}
	end_reading(maps);
	end_reading(smaps);
	return size;
}

uint64_t vx_size_in(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	uint64_t size = next_size(file, name);

	end_reading(file);
	return size;
}

uint64_t vx_mapping_locked(void)
{
	uint64_t locked = vx_size_in("/proc/self/status", "VmLck"), pinned = vx_size_in("/proc/self/status", "VmPin");

	return locked > pinned ? locked : pinned;
}
