/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_EDGE_H
#define VERBSX_SRC_EDGE_H

/* The edges between nodes, under the lock. */

#include "object.h"

static inline void vx_edge_link(struct vx_edge *edge, struct vx_node *used)
{
	struct vx_edge *older = used->users;

	__atomic_store_n(&edge->used, used, __ATOMIC_RELAXED);
	edge->newer = NULL;
	edge->older = older;
	if (older)
		older->newer = edge;
	used->users = edge;
}

static inline void vx_edge_unlink(struct vx_edge *edge)
{
	struct vx_walk *walk;

	for (walk = vx_graph.walks; walk; walk = walk->other)
		if (walk->next == edge)
			walk->next = edge->older;
	if (edge->newer)
		edge->newer->older = edge->older;
	else
		edge->used->users = edge->older;
	if (edge->older)
		edge->older->newer = edge->newer;
}

/* A node ends that a method had depend on something (later.c). */
void vx_laters_end(const struct vx_node *node) VX_SELDOM_CALLED;

#endif
