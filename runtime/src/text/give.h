/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GIVE_H
#define VERBSX_SRC_GIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Which way is gone: of two, compilers take that where numbers or pointers differ for the usual one. */
#define VX_USUALLY(condition) __builtin_expect(!!(condition), 1)
#define VX_SELDOM(condition) __builtin_expect(!!(condition), 0)

/* Hand a structure to a program: what both know, and zeros for what only the program does. Nothing where it wants none. True. */
bool vx_give_out(void *theirs, size_t their_size, const void *own, size_t own_size);

/* The same of one that programs get often, nearly all with the size that the library gives it. */
#define VX_GIVE_OFTEN(theirs, size, own) \
	do { \
		if (VX_USUALLY((size) == sizeof(own))) \
			*(theirs) = (own); \
		else \
			vx_give_out(theirs, size, &(own), sizeof(own)); \
	} while (0)

#define VX_GIVE(theirs, size, own) vx_give_out(theirs, size, own, sizeof(*(own)))

/*
 * Zeros that follow a structure which the library keeps and a program only looks at: one that is newer than the library finds
 * them in the fields that it knows and the library does not.
 */
#define VX_ROOM_TO_GROW 64

#endif
