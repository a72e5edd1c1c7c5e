/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERBSX_SRC_OBJECT_H
#define VERBSX_SRC_OBJECT_H

/* The inside of a handle: a node in the tree of what belongs to a context. */

#include <pthread.h>

#include <verbsx/object.h>

struct vx_node {
	struct vx_object object;		/* first: all that the public header shows */
	struct vx_node *parent;			/* NULL for a context */
	struct vx_node *children;		/* newest first */
	struct vx_node *older, *newer;		/* among the children of the parent */
	pthread_mutex_t *lock;			/* the context's; guards the links of its whole tree */
	int (*destroy)(struct vx_node *node);	/* gives the raw object back; on failure leaves all as it was */
};

/* Put a node under its parent; the node is allocated by malloc() and has object and destroy set. */
void vx_node_adopt(struct vx_node *parent, struct vx_node *node);

#endif
