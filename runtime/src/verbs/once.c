/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <string.h>

#include "steps.h"

static struct vx_kept_once *kept_of(const struct vx_node *node)
{
	return vx_node_extra(node);
}

static bool is_alike(const struct vx_node *a, const struct vx_node *b, size_t kept)
{
	return a != b && a->kind == b->kind && !memcmp(kept_of(a) + 1, kept_of(b) + 1, kept - sizeof(struct vx_kept_once));
}

static bool is_being_made(const struct vx_node *node)
{
	return node->state == VX_NODE_MAKING && vx_node_is_busy_elsewhere(node);
}

static bool is_being_ended(const struct vx_node *node)
{
	return kept_of(node)->ending && vx_node_is_busy_elsewhere(node);
}

static bool is_staying(const struct vx_node *node)
{
	return !kept_of(node)->ending;
}

/* Whether another one is alike, and so. Under the lock. */
static bool has_another(const struct vx_node *node, size_t kept, bool (*is_so)(const struct vx_node *))
{
	const struct vx_edge *edge;

	for (edge = vx_node_used(node, 0)->users; edge; edge = edge->older)
		if (is_alike(edge->user, node, kept) && is_so(edge->user))
			return true;
	return false;
}

void vx_once_begin(const struct vx_node *node, size_t kept)
{
	while (has_another(node, kept, is_being_ended))
		vx_graph_wait();
}

bool vx_once_ends(struct vx_node *node, size_t kept)
{
	bool last;

	vx_graph_lock();
	while (has_another(node, kept, is_being_made))
		vx_graph_wait();
	kept_of(node)->ending = true;
	last = !has_another(node, kept, is_staying);
	vx_graph_unlock();
	return last;
}

int vx_once_fail(int rc, const char *call, struct vx_node *node)
{
	vx_graph_lock();
	kept_of(node)->ending = false;
	vx_graph_unlock();
	return vx_destroy_fail(rc, call, node);
}
