/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The file behind descriptors of the device node: what a program maps of the device lies in
 * it, at the offset that it maps. So the kernel itself answers mmap(), whoever calls it.
 */
#ifndef EMU_BAR_H
#define EMU_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A new descriptor of it, or -1 with errno. */
int bar_open(int flags);

/* Write on a descriptor of which context it is, the number and 1, and of which device; and read that from one of another process. */
void bar_sign(int fd, uint32_t context, uint8_t device);
bool bar_whose(int fd, uint32_t *context, uint8_t *device);

/* Whether a descriptor is still one of it: it may have been closed behind our back. */
bool bar_is(int fd);

/* The same, and it is no parent's, of whose objects there is but a copy here. */
bool bar_is_own(int fd);

/* Whether a file of that size is one of a device, of whatever process. */
bool bar_has_size(off_t size);

/* Our own view of a part; NULL without memory. */
void *bar_map(off_t offset, size_t size);

/* The part is of nobody any more: the next one to map it finds zeroes. */
void bar_clear(off_t offset, size_t size);

/* Where UARs, device memory, and what is told to other processes lie. */
off_t bar_uar_offset(unsigned int number);
off_t bar_dm_offset(unsigned int page_index);
#define BAR_EXPORTS ((off_t)1 << 58)

/* Device memory is a run of so many pages. */
#define BAR_DM_PAGES 256

/* In a forked child: what it opens itself has another file. */
void bar_fork(void);

#endif
