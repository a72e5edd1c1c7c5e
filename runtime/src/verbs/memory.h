/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MEMORY_H
#define VERBSX_SRC_MEMORY_H

/* Memory that comes with an object. */

#include <stdbool.h>
#include <stddef.h>

struct vx_memory {
	void *addr;
	size_t size;
};

/* Map at least so many zeroed bytes, page aligned, all of them in huge pages or none. Returns a negative errno. */
int vx_memory_map(struct vx_memory *memory, size_t length, bool huge);

void vx_memory_unmap(const struct vx_memory *memory);

/* The size of a huge page as MAP_HUGETLB means it; 0 where the kernel has none. */
size_t vx_huge_page_size(void);

#endif
