/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_NEAREST_H
#define VERBSX_SRC_NEAREST_H

/* Which of several names somebody may have meant. */

#include <stdbool.h>
#include <stddef.h>

#define VX_MOST_NEAREST 16

struct vx_nearest {
	const char *wanted;	/* not NUL-terminated */
	size_t len;
	size_t max;		/* of the names that are kept, up to VX_MOST_NEAREST */
	size_t count;
	const char **names;	/* the best first */
	unsigned int distances[VX_MOST_NEAREST];
};

/** Consider a name, as a whole and without a prefix of so many letters: it may be misspelled, or contain what is wanted. */
void vx_nearest_try(struct vx_nearest *nearest, const char *name, size_t prefix);

/** Whether a text begins with a piece, whatever the case; @p text ends in NUL. */
bool vx_same_start(const char *piece, size_t len, const char *text);

/** Whether two texts are the same but for their case; @p text ends in NUL. */
bool vx_same_letters(const char *piece, size_t len, const char *text);

#endif
