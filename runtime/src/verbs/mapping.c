/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "memory.h"

#define LONGEST_LINE 512	/* a longer path goes on in what is taken for another line, and looks like none */

struct mapping {
	uintptr_t start, end;
	bool readable, writable;
	uint64_t inode;		/* 0: of no file, so its pages are of the usual size */
};

/* "7f0c1000-7f0c2000 rw-p ..." */
static bool is_mapping(const char *line, struct mapping *out)
{
	char read, write;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c%c%*s %*s %*s %" SCNu64, &out->start, &out->end, &read, &write,
		   &out->inode) != 5)
		return false;
	out->readable = read == 'r';
	out->writable = write == 'w';
	return true;
}

static enum vx_mapping_flaw flaw_of(const struct mapping *m, bool write)
{
	if (!m->readable)
		return VX_MAPPING_CLOSED;
	return write && !m->writable ? VX_MAPPING_READ_ONLY : VX_MAPPING_FINE;
}

/* A hole before a mapping, or what is wrong with the mapping itself; end is where the range ends. */
static enum vx_mapping_flaw check_one(const struct mapping *m, bool write, uintptr_t end, uintptr_t *from, uintptr_t *to)
{
	uintptr_t stop = m->end < end ? m->end : end;

	if (m->start > *from) {
		*to = m->start < end ? m->start : end;
		return VX_MAPPING_NONE;
	}
	*to = stop;
	return flaw_of(m, write);
}

/* The lines are in order of the addresses. */
static enum vx_mapping_flaw check_lines(FILE *maps, bool write, uintptr_t end, uintptr_t *from, uintptr_t *to)
{
	enum vx_mapping_flaw flaw;
	char line[LONGEST_LINE];
	struct mapping m;

	while (*from < end && fgets(line, sizeof(line), maps)) {
		if (!is_mapping(line, &m) || m.end <= *from)
			continue;
		flaw = check_one(&m, write, end, from, to);
		if (flaw != VX_MAPPING_FINE)
			return flaw;
		*from = m.end;
	}
	*to = end;
	return *from < end ? VX_MAPPING_NONE : VX_MAPPING_FINE;
}

enum vx_mapping_flaw vx_mapping_check(uintptr_t start, size_t length, bool write, uintptr_t *from, uintptr_t *to)
{
	enum vx_mapping_flaw flaw;
	FILE *maps = fopen("/proc/self/maps", "re");

	if (!maps)
		return VX_MAPPING_FINE;
	*from = start;
	flaw = check_lines(maps, write, start + length, from, to);
	fclose(maps);
	return flaw;
}

/* Whether an address is in huge pages is told by a file, of hugetlbfs or like one, that lies behind it. */
static bool is_of_a_file(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping m = { 0 };
	char line[LONGEST_LINE];

	if (!maps)
		return true;
	while (fgets(line, sizeof(line), maps))
		if (is_mapping(line, &m) && m.end > address)
			break;
	fclose(maps);
	return m.inode || address < m.start || address >= m.end;
}

/* The kernel walks the pages of each mapping that it tells of in smaps: some ms for 2 GiB. */
static size_t page_size_of_file(uintptr_t address)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	char line[LONGEST_LINE];
	struct mapping m;
	bool inside = false;
	size_t kib = 0;

	if (!smaps)
		return 0;
	while (!kib && fgets(line, sizeof(line), smaps)) {
		if (is_mapping(line, &m))
			inside = m.start <= address && address < m.end;
		else if (inside && sscanf(line, "KernelPageSize: %zu kB", &kib) != 1)
			kib = 0;
	}
	fclose(smaps);
	return kib << 10;
}

size_t vx_mapping_page_size(uintptr_t address)
{
	return is_of_a_file(address) ? page_size_of_file(address) : (size_t)sysconf(_SC_PAGESIZE);
}

uint64_t vx_mapping_locked(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	uint64_t kib = 0, locked = 0, pinned = 0;
	char line[LONGEST_LINE];

	if (!status)
		return 0;
	while (fgets(line, sizeof(line), status)) {
		if (sscanf(line, "VmLck: %" SCNu64, &kib) == 1)
			locked = kib;
		if (sscanf(line, "VmPin: %" SCNu64, &kib) == 1)
			pinned = kib;
	}
	fclose(status);
	return (locked > pinned ? locked : pinned) << 10;
}
