/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a program maps from the device node. */
#ifndef EMU_PAGES_H
#define EMU_PAGES_H

#include <stddef.h>
#include <sys/types.h>

/* As mmap() of the device node. */
void *pages_map(size_t size, off_t offset);

/* The offset to map a UAR at. */
off_t pages_uar_offset(unsigned int handle);

#endif
