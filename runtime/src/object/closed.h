/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_CLOSED_H
#define VERBSX_SRC_CLOSED_H

/* What becomes of handles: they are freed, or kept a while in builds that check handles, to be known again. */

#include "object.h"

/*
 * This thread is about to close what a handle stands for and all that depends on it; NULL: it gives something back.
 * Returns what it was about before, which is begun again afterwards.
 */
const struct vx_node *vx_closed_begin(const struct vx_node *top);

/* The end of a handle. */
void vx_closed_free(struct vx_node *node);

#endif
