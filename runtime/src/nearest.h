/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
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

/** Whether two texts are the same but for their case; @p text ends in NUL. */
bool vx_same_letters(const char *piece, size_t len, const char *text);

#endif
