/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Pages of the program's memory, as the kernel would find them for the device. */
#ifndef EMU_PAGES_H
#define EMU_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEVICE_PAGE 4096ull

/*
 * Whether memory can be registered. The kernel pins all pages of a range; we look at the ends, as programs register much that
 * they never touch.
 */
bool pages_can_be_pinned(uint64_t address, uint64_t len, bool write);

/* Have all pages of a range there to be read or, for @write, written: false where one cannot be. */
bool pages_populate(uint64_t address, uint64_t len, bool write);

/**
 * Copy from or to the program's memory by the kernel, which faults pages in.
 *
 * @return 0, or -1 where there is no such page, or none that may be written
 */
int pages_read(uint64_t host, uint64_t len, void *to);
int pages_write(uint64_t host, uint64_t len, const void *from);

/* Likewise of another process, where this one may. */
int pages_read_of(pid_t pid, uint64_t host, uint64_t len, void *to);
int pages_write_of(pid_t pid, uint64_t host, uint64_t len, const void *from);

#endif
