/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Memory of regions. A kernel pins its pages; here they are the program's, which may have unmapped or protected them since.
 * So each copy survives a fault.
 */
#ifndef EMU_PINNED_H
#define EMU_PINNED_H

#include <signal.h>
#include <stdint.h>

/* Copy, as if the pages were still there: what is written to one that is gone is lost, and zeros are read from it. */
void pinned_read(const void *memory, uint64_t len, void *to);
void pinned_write(void *memory, uint64_t len, const void *from);

/* Of a handler of SIGSEGV and SIGBUS: does not return where the fault is of such a copy. */
void pinned_recover(const siginfo_t *info, const void *context);

#endif
