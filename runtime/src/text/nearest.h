/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_NEAREST_H
#define VERBSX_SRC_NEAREST_H

/* Which of several names somebody may have meant. */

#include <stdbool.h>
#include <stddef.h>

struct vx_nearest {
	const char *wanted;	/* not NUL-terminated */
	size_t len;
	const char *best;	/* NULL: nothing comes close */
	unsigned int distance;
};

void vx_nearest_start(struct vx_nearest *nearest, const char *wanted, size_t len);

/** Consider @p spelling, which stands for @p name. */
void vx_nearest_try(struct vx_nearest *nearest, const char *spelling, const char *name);

/**
 * The letters to insert, drop or change to come from one text to the other (Levenshtein), whatever their
 * case; UINT_MAX where @p spelling is empty or too long to be meant.
 */
unsigned int vx_distance(const char *wanted, size_t len, const char *spelling);

/** Whether a text begins with a piece, whatever the case; @p text ends in NUL. */
bool vx_same_start(const char *piece, size_t len, const char *text);

/** Whether two texts are the same but for their case; @p text ends in NUL. */
bool vx_same_letters(const char *piece, size_t len, const char *text);

#endif
