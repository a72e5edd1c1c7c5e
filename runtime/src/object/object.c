/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The graph of handles: who depends on whom, and closing in turn. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "closed.h"
#include "error/fail.h"
#include "object.h"
#include "unacked.h"

#define LONGEST_NAME 128

static struct vx_edge *edges_of(const struct vx_node *node)
{
	return (struct vx_edge *)(node + 1);
}

struct vx_root *vx_node_root(const struct vx_node *node)
{
	while (node->uses)
		node = edges_of(node)->used;
	return (struct vx_root *)node;
}

static bool is_used_already(const struct vx_node *node, const struct vx_node *used)
{
	uint32_t i;

	for (i = 0; i < node->uses; i++)
		if (edges_of(node)[i].used == used)
			return true;
	return false;
}

static void add_use(struct vx_node *node, struct vx_node *used)
{
	edges_of(node)[node->uses++] = (struct vx_edge){ .user = node, .used = used };
}

static int add_uses(struct vx_node *node, void *const *uses, size_t count, const char *call)
{
	char name[LONGEST_NAME];
	size_t i;

	for (i = 0; i < count; i++) {
		struct vx_node *used = uses[i];

		if (!used || is_used_already(node, used))
			continue;
		vx_closed_check(used, call);
		if (vx_node_root(used) != vx_node_root(uses[0])) {
			vx_object_name(name, sizeof(name), used);
			return vx_fail(-EINVAL, call, NULL, "%s belongs to another context", name);
		}
		add_use(node, used);
	}
	return 0;
}

static size_t count_uses(void *const *uses, size_t count)
{
	size_t i, given = 0;

	for (i = 0; i < count; i++)
		given += uses[i] != NULL;
	return given;
}

struct vx_node *vx_node_new_with(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), void *const *uses,
				 size_t count, const char *call)
{
	struct vx_node *node;

	if (!uses[0]) {
		vx_null_fail(call, "the parent");
		return NULL;
	}
	node = calloc(1, sizeof(*node) + count_uses(uses, count) * sizeof(struct vx_edge) + extra);
	if (!node) {
		vx_fail(-ENOMEM, call, NULL, NULL);
		return NULL;
	}
	node->kind = kind;
	node->destroy = destroy;
	if (add_uses(node, uses, count, call) < 0) {
		free(node);
		return NULL;
	}
	return node;
}

struct vx_node *vx_node_new(uint32_t kind, int (*destroy)(struct vx_node *), void *const *uses, size_t count,
			    const char *call)
{
	return vx_node_new_with(0, kind, destroy, uses, count, call);
}

void *vx_node_extra(const struct vx_node *node)
{
	return &edges_of(node)[node->uses];
}

void vx_node_keep(struct vx_node *node, const void *field, size_t size)
{
	struct vx_kept *kept = vx_node_extra(node);

	memcpy(kept->value, field, size);
	kept->known = true;
}

static void link_edge(struct vx_edge *edge)
{
	edge->older = edge->used->users;
	if (edge->older)
		edge->older->newer = edge;
	edge->used->users = edge;
}

/* No walk stands still at what is no more. */
static void unlink_edge(struct vx_root *root, struct vx_edge *edge)
{
	struct vx_walk *walk;

	for (walk = root->walks; walk; walk = walk->outer)
		if (walk->next == edge)
			walk->next = edge->older;
	if (edge->newer)
		edge->newer->older = edge->older;
	else
		edge->used->users = edge->older;
	if (edge->older)
		edge->older->newer = edge->newer;
}

void vx_node_link(struct vx_node *node, void *raw)
{
	struct vx_root *root = vx_node_root(node);
	uint32_t i;

	node->object.raw = node->object.front = raw;
	pthread_mutex_lock(&root->lock);
	for (i = 0; i < node->uses; i++)
		link_edge(&edges_of(node)[i]);
	pthread_mutex_unlock(&root->lock);
}

static void unlink_node(struct vx_root *root, struct vx_node *node)
{
	uint32_t i;

	for (i = 0; i < node->uses; i++)
		unlink_edge(root, &edges_of(node)[i]);
}

void vx_node_unlink(struct vx_node *node)
{
	struct vx_root *root = vx_node_root(node);

	pthread_mutex_lock(&root->lock);
	unlink_node(root, node);
	pthread_mutex_unlock(&root->lock);
}

void vx_node_move(struct vx_node *node, struct vx_node *parent)
{
	struct vx_root *root = vx_node_root(node);
	struct vx_edge *edge = edges_of(node);

	pthread_mutex_lock(&root->lock);
	unlink_edge(root, edge);
	*edge = (struct vx_edge){ .user = node, .used = parent };
	link_edge(edge);
	pthread_mutex_unlock(&root->lock);
}

struct vx_node *vx_node_used(const struct vx_node *node, uint32_t index)
{
	struct vx_root *root = vx_node_root(node);
	struct vx_node *used;

	pthread_mutex_lock(&root->lock);
	used = edges_of(node)[index].used;
	pthread_mutex_unlock(&root->lock);
	return used;
}

/* Each node is looked at once: from its parent, however many others it uses. */
static bool is_of_parent(const struct vx_edge *edge)
{
	return edge == edges_of(edge->user);
}

struct vx_node *vx_node_find(struct vx_node *top, const void *raw, uint64_t kinds)
{
	struct vx_node *found = NULL;
	struct vx_edge *edge;

	if (top->object.raw == raw && kinds >> top->kind & 1)
		return top;
	for (edge = top->users; edge && !found; edge = edge->older)
		if (is_of_parent(edge))
			found = vx_node_find(edge->user, raw, kinds);
	return found;
}

static void free_node(struct vx_root *root, struct vx_node *node)
{
	unlink_node(root, node);
	vx_closed_free(node);
}

static int close_node(struct vx_root *root, struct vx_node *node);

/* One pass over what depends on a node, newest first. Closing one may take others along, of which the walk is told. */
static int close_pass(struct vx_root *root, struct vx_node *node, bool *progress)
{
	struct vx_walk walk = { .next = node->users, .outer = root->walks };
	int rc, last = 0;

	*progress = false;
	root->walks = &walk;
	while (walk.next) {
		struct vx_node *user = walk.next->user;

		walk.next = walk.next->older;
		rc = close_node(root, user);
		if (rc < 0)
			last = rc;
		else
			*progress = true;
	}
	root->walks = walk.outer;
	return last;
}

/*
 * What the kernel refuses at first may go once something else has gone that we do not know to stand in its way, such as a
 * window that is bound to a region.
 */
static int close_users(struct vx_root *root, struct vx_node *node)
{
	bool progress;
	int rc;

	do
		rc = close_pass(root, node, &progress);
	while (rc < 0 && progress);
	return rc;
}

static int close_node(struct vx_root *root, struct vx_node *node)
{
	int rc;

	rc = close_users(root, node);
	if (rc < 0)
		return rc;
	vx_unacked_settle(node);
	rc = node->destroy(node);
	if (rc == 0)
		free_node(root, node);
	return rc;
}

static void free_root(struct vx_root *root)
{
	pthread_mutex_destroy(&root->lock);
	vx_unacked_forget(root);
	vx_closed_free(&root->node);
}

/* Destroying a context destroys the lock as well, so it must not be held. */
static int close_root(struct vx_root *root)
{
	int rc;

	pthread_mutex_lock(&root->lock);
	rc = close_users(root, &root->node);
	pthread_mutex_unlock(&root->lock);
	if (rc == 0)
		rc = root->node.destroy(&root->node);
	if (rc == 0)
		free_root(root);
	return rc;
}

static int close_part(struct vx_node *node)
{
	struct vx_root *root = vx_node_root(node);
	int rc;

	pthread_mutex_lock(&root->lock);
	rc = close_node(root, node);
	pthread_mutex_unlock(&root->lock);
	return rc;
}

int vx_close(void *object)
{
	const struct vx_node *outer;
	struct vx_node *node = object;
	int rc;

	if (!node)
		return 0;
	VX_CHECK(node, 0);
	outer = vx_closed_begin(node);
	vx_error_try();
	rc = node->uses ? close_part(node) : close_root(object);
	vx_error_tried(rc);
	vx_closed_begin(outer);
	return rc;
}

/* In the place of what destroys an object: it stays with its owner, who must not wait for our events. */
static int leave(struct vx_node *node)
{
	if (!node->uses)
		vx_unacked_settle_all((struct vx_root *)node);
	return 0;
}

void vx_disown(void *object)
{
	struct vx_node *node = object;
	struct vx_root *root;

	if (!node)
		return;
	VX_CHECK(node, 0);
	root = vx_node_root(node);
	pthread_mutex_lock(&root->lock);
	node->destroy = leave;
	pthread_mutex_unlock(&root->lock);
}

static int busy(const struct vx_node *node)
{
	char name[LONGEST_NAME], user[LONGEST_NAME];

	vx_object_name(name, sizeof(name), node);
	vx_object_name(user, sizeof(user), node->users->user);
	return vx_fail(-EBUSY, "vx_give_back", name, "%s depends on it", user);
}

static int give_back(struct vx_root *root, struct vx_node *node, void **raw)
{
	if (node->users)
		return busy(node);
	*raw = node->object.raw;
	if (node->uses) {
		vx_unacked_settle(node);
		free_node(root, node);
	}
	return 0;
}

void *vx_give_back(void *object)
{
	const struct vx_node *outer;
	struct vx_node *node = object;
	struct vx_root *root;
	void *raw = NULL;
	bool whole;
	int rc;

	if (!node) {
		vx_null_fail("vx_give_back", "the object");
		return NULL;
	}
	VX_CHECK(node, 0);
	outer = vx_closed_begin(NULL);
	root = vx_node_root(node);
	whole = &root->node == node;
	pthread_mutex_lock(&root->lock);
	rc = give_back(root, node, &raw);
	pthread_mutex_unlock(&root->lock);
	if (rc == 0 && whole) {
		leave(node);
		free_root(root);
	}
	vx_closed_begin(outer);
	return raw;
}
