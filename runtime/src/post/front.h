/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FRONT_H
#define VERBSX_SRC_FRONT_H

/*
 * What stands before an object on the data path, in the place of the raw one: struct vx_front of object/object.h lies before it. The
 * inline functions of verbsx/post.h, wr.h and poll.h call it as rdma-core's own would call the raw object, so it begins as that does.
 * Fronts of a QP, CQ, SRQ or WQ are put there before anybody can use it, or by its only user, and stay until it is closed.
 */

#include "object/object.h"

/**
 * Memory for a front, which is to be put before an object; free(vx_front_head(front)) ends it before that.
 *
 * @param size  of what looks like the raw object, and what is behind it; all of it is zero
 * @return NULL with vx_error() filled
 */
void *vx_front_new(size_t size, const char *call);

/** Put a front before what has been an object's front so far: it is the next of this. */
void vx_front_put(struct vx_node *node, void *front);

static inline struct vx_front *vx_front_head(const void *front)
{
	return (struct vx_front *)(uintptr_t)front - 1;
}

/** What a front goes on to. */
static inline void *vx_front_next(const void *front)
{
	return vx_front_head(front)->next;
}

#endif
