/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Taking over objects that were made without libverbsx: where they belong, and what they depend on. */

#include <errno.h>

#include <infiniband/verbs.h>

#include "adopt.h"
#include "error/fail.h"

#define LONGEST_NAME 128

static int is_of_another(const struct vx_adopting *it, const struct vx_node *owner)
{
	char name[LONGEST_NAME];

	vx_object_name(name, sizeof(name), owner);
	return vx_fail(-EINVAL, it->call, NULL, "the object does not belong to %s", name);
}

static int check(const struct vx_adopting *it)
{
	const struct vx_node *parent = it->parent, *root;

	if (!parent || !it->raw)
		return vx_null_fail(it->call, parent ? "the object" : "the parent");
	root = &vx_node_root(parent)->node;
	if (it->context && it->context != root->object.raw)
		return is_of_another(it, root);
	if (it->raw_parent && it->raw_parent != parent->object.raw)
		return is_of_another(it, parent);
	return 0;
}

/* Of one generation only: what lies deeper, such as the regions of a PD, is used by nobody else and may be a million. */
static struct vx_node *find_user(const struct vx_node *node, const void *raw)
{
	const struct vx_edge *edge;

	for (edge = node->users; edge; edge = edge->older)
		if (edge->user->object.raw == raw)
			return edge->user;
	return NULL;
}

static struct vx_node *find(const struct vx_adopting *it, const void *raw)
{
	struct vx_root *root = vx_node_root(it->parent);
	struct vx_node *found;

	pthread_mutex_lock(&root->lock);
	found = find_user(&root->node, raw);
	if (!found)
		found = find_user(it->parent, raw);
	pthread_mutex_unlock(&root->lock);
	return found;
}

struct vx_node *vx_adopt(const struct vx_adopting *it)
{
	void *uses[1 + VX_ADOPT_USES] = { it->parent };
	struct vx_node *node;
	size_t i;

	if (check(it) < 0)
		return NULL;
	for (i = 0; i < VX_ADOPT_USES; i++)
		if (it->uses[i])
			uses[1 + i] = find(it, it->uses[i]);
	node = vx_node_new_with(it->extra, it->kind, it->destroy, uses, 1 + VX_ADOPT_USES, it->call);
	if (node)
		vx_node_link(node, it->raw);
	return node;
}
