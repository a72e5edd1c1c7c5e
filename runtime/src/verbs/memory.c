/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"

size_t vx_huge_page_size(void)
{
	FILE *info = fopen("/proc/meminfo", "re");
	size_t kib = 0;
	char line[128];

	while (info && !kib && fgets(line, sizeof(line), info))
		sscanf(line, "Hugepagesize: %zu kB", &kib);
	if (info)
		fclose(info);
	return kib * 1024;
}

int vx_memory_map(struct vx_memory *memory, size_t length, bool huge)
{
	size_t page = huge ? vx_huge_page_size() : (size_t)sysconf(_SC_PAGESIZE);
	void *addr;

	if (!page || length > SIZE_MAX - page)
		return -ENOMEM;
	length = (length + page - 1) / page * page;
	addr = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB : 0), -1, 0);
	if (addr == MAP_FAILED)
		return -errno;
	*memory = (struct vx_memory){ .addr = addr, .size = length };
	return 0;
}

void vx_memory_unmap(const struct vx_memory *memory)
{
	munmap(memory->addr, memory->size);
}
