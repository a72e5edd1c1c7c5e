/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_BORDER_H
#define VERBSX_SRC_BORDER_H

/*
 * Structures that cross the border of the library: a program has those of the headers that it was compiled with, which may be
 * shorter or longer than the library's own. Fields are only ever added at the end, so that both know what both have.
 */

#include <stddef.h>

#include "text/give.h"

/*
 * Take a program's structure: what both know, the rest of the library's is zero; all of it for NULL. Returns 0, or -E2BIG, recorded,
 * where the program set something that this library does not know, as openat2(2) does: its name is not known either, but that of
 * the last field before it is.
 */
int vx_take_in(void *own, size_t own_size, const void *theirs, size_t their_size, const char *call, const char *what,
	       const char *last);

#endif
