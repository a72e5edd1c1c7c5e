/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What nodes depend on later than they were made, of few: a method had them do so. */

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "edge.h"
#include "error/fail.h"

/* What a method had a node depend on. */
struct later {
	const struct vx_node *user;
	uint32_t uses;
	struct vx_edge edges[];
};

static void *laters; /* a tree of tsearch(3), under the lock */

static int compare_laters(const void *left, const void *right)
{
	const struct later *a = left, *b = right;

	return (uintptr_t)a->user < (uintptr_t)b->user ? -1 : a->user != b->user;
}

static struct later *later_of(const struct vx_node *node)
{
	struct later **found = tfind(&(struct later){ .user = node }, &laters, compare_laters);

	return found ? *found : NULL;
}

int vx_node_make_room(struct vx_node *node, size_t count, const char *call)
{
	struct later *fresh = calloc(1, sizeof(*fresh) + count * sizeof(fresh->edges[0])), **kept;
	bool is_kept;

	if (!fresh)
		return vx_fail(-ENOMEM, call, NULL, NULL);
	fresh->user = node;
	vx_graph_lock();
	kept = tsearch(fresh, &laters, compare_laters);
	is_kept = kept && *kept == fresh;
	node->leans |= kept != NULL;
	vx_graph_unlock();
	if (!is_kept)
		free(fresh);
	return kept ? 0 : vx_fail(-ENOMEM, call, NULL, NULL);
}

static void unlink_later(struct later *later)
{
	while (later->uses)
		vx_edge_unlink(&later->edges[--later->uses]);
}

static void add_later(struct later *later, struct vx_node *user, struct vx_node *used)
{
	uint32_t i;

	for (i = 0; i < later->uses; i++)
		if (later->edges[i].used == used)
			return;
	later->edges[later->uses].user = user;
	vx_edge_link(&later->edges[later->uses++], used);
}

void vx_node_depend(struct vx_node *node, void *const *uses, size_t count)
{
	struct later *later;
	size_t i;

	vx_graph_lock();
	later = later_of(node);
	unlink_later(later);
	for (i = 0; i < count; i++)
		if (uses[i])
			add_later(later, node, uses[i]);
	vx_graph_unlock();
}

struct vx_node *vx_node_used_later(const struct vx_node *node, uint32_t index)
{
	const struct later *later;
	struct vx_node *used;

	vx_graph_lock();
	later = later_of(node);
	used = later && index < later->uses ? later->edges[index].used : NULL;
	vx_graph_unlock();
	return used;
}

void vx_laters_end(const struct vx_node *node)
{
	struct later *later = later_of(node);

	tdelete(later, &laters, compare_laters);
	unlink_later(later);
	free(later);
}
