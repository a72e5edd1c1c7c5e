/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The graph of handles: nodes, and the edges between them. */

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/objects.h>

#include "edge.h"
#include "error/fail.h"
#include "make.h"

static struct vx_edge *edges_of(const struct vx_node *node)
{
	return (struct vx_edge *)(node + 1);
}

/* ---- edges ---- */

void vx_walk_begin(struct vx_walk *walk, struct vx_node *node)
{
	*walk = (struct vx_walk){ node->users, vx_graph.walks };
	vx_graph.walks = walk;
}

void vx_walk_end(struct vx_walk *walk)
{
	struct vx_walk **link = &vx_graph.walks;

	while (*link && *link != walk) /* a child of fork(2) knows of none */
		link = &(*link)->other;
	if (*link)
		*link = walk->other;
}

void vx_node_unlink(struct vx_node *node)
{
	uint32_t i;

	for (i = 0; i < node->uses; i++)
		vx_edge_unlink(&edges_of(node)[i]);
	if (VX_SELDOM(node->leans))
		vx_laters_end(node);
}

struct vx_node *vx_node_used(const struct vx_node *node, uint32_t index)
{
	return __atomic_load_n(&edges_of(node)[index].used, __ATOMIC_RELAXED);
}

struct vx_node *vx_node_used_as(const struct vx_node *node, uint32_t type, const void *raw)
{
	struct vx_node *used;
	uint32_t i;

	for (i = 0; i < node->uses; i++) {
		used = vx_node_used(node, i);
		if (used->type == type && (!raw || used->object.raw == raw))
			return used;
	}
	return NULL;
}

struct vx_node *vx_node_ctx(const struct vx_node *node)
{
	const struct vx_node *first = node; /* of what that depends on, of what it depends on, and so on: most often all there is */
	struct vx_node *found;
	uint32_t i;

	while (first->uses && first->kind != VX_OBJECT_CTX)
		first = vx_node_used(first, 0);
	found = first->kind == VX_OBJECT_CTX ? (struct vx_node *)first : NULL;
	for (i = 0; !found && i < node->uses; i++)
		found = vx_node_ctx(vx_node_used(node, i));
	return found;
}

/* ---- what a new node depends on ---- */

static bool is_used_already(const struct vx_node *node, const struct vx_node *used)
{
	uint32_t i;

	for (i = 0; i < node->uses; i++)
		if (edges_of(node)[i].used == used)
			return true;
	return false;
}

/* All are of one context, as far as they have one. */
static int check_use(const struct vx_node *used, const struct vx_node **ctx, const char *call)
{
	const struct vx_node *other;

	if (used->magic != VX_NODE_MAGIC || used->state != VX_NODE_LIVE)
		return vx_fail(-EBUSY, call, NULL, "the %s is being closed", vx_kind_name(used->kind));
	if (*ctx && used->uses && vx_node_used(used, 0) == *ctx) /* as most are: PDs and CQs */
		return 0;
	other = vx_node_ctx(used);
	if (VX_SELDOM(other && other->lost))
		return vx_fail(-EIO, call, VX_NAME(other), "%s", VX_DEVICE_LOST);
	if (!*ctx)
		*ctx = other;
	if (!other || *ctx == other)
		return 0;
	return vx_fail(-EINVAL, call, NULL, "%s belongs to another context", VX_NAME(used));
}

static int add_use(struct vx_node *node, struct vx_node *used, const struct vx_node **ctx, const char *call)
{
	struct vx_edge *edge = &edges_of(node)[node->uses];
	int rc = check_use(used, ctx, call);

	if (rc < 0)
		return rc;
	edge->user = node;
	vx_edge_link(edge, used);
	node->uses++;
	return 0;
}

int vx_node_reserve(struct vx_node *node, void *const *uses, size_t count, const char *call)
{
	const struct vx_node *ctx = node->uses ? vx_node_ctx(node) : NULL;
	size_t i;
	int rc = 0;

	if (!node->serial)
		node->serial = ++vx_kind_made[node->kind].count;
	for (i = 0; i < count && node->uses < node->room && rc == 0; i++)
		if (uses[i] && !is_used_already(node, uses[i]))
			rc = add_use(node, uses[i], &ctx, call);
	return rc;
}

VX_SELDOM_CALLED void vx_node_move(struct vx_node *node, struct vx_node *parent)
{
	struct vx_edge *edge = edges_of(node);

	vx_graph_lock();
	if (node->uses)
		vx_edge_unlink(edge);
	else
		node->uses = 1;
	edge->user = node;
	vx_edge_link(edge, parent);
	vx_graph_unlock();
}

/* ---- nodes ---- */

/* For anything: behind a node and its edges, 32-bit machines may have the place of a pointer only. */
static size_t extra_at(uint32_t room)
{
	const size_t align = _Alignof(max_align_t);

	return (sizeof(struct vx_node) + room * sizeof(struct vx_edge) + align - 1) / align * align;
}

void *vx_node_extra(const struct vx_node *node)
{
	return (char *)node + extra_at(node->room);
}

/*
 * What handles lay in that are no more, a list for each size: many programs end one of each kind and make the next. malloc(3) forgets
 * where what was freed last is as soon as rdma-core, which asks calloc(3), has freed some of that size.
 */
enum { GRAIN = 16, HEAD = 8, LISTS = 64, MOST_SPARE = 8 }; /* what malloc(3) gives is a multiple of the first, less the second */

static struct vx_node *spare_nodes[LISTS];

static struct vx_node *take_spare(size_t size)
{
	const size_t at = (size + HEAD + GRAIN - 1) / GRAIN;
	struct vx_node *node = at < LISTS ? spare_nodes[at] : NULL;

	if (node)
		spare_nodes[at] = node->next;
	return node ? node : malloc(size);
}

/* How long its list is by now is kept in the first of it. */
void vx_node_free(struct vx_node *node)
{
	const size_t at = vx_graph.reuses ? (malloc_usable_size(node) + HEAD) / GRAIN : LISTS;
	struct vx_node *first = at < LISTS ? spare_nodes[at] : NULL;

	if (at >= LISTS || (first && first->room == MOST_SPARE)) {
		free(node);
		return;
	}
	node->room = first ? first->room + 1 : 1;
	node->next = first;
	spare_nodes[at] = node;
}

struct vx_node *vx_node_alloc(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), uint32_t room, const char *call)
{
	struct vx_node *node = take_spare(extra_at(room) + extra);

	if (!node) {
		vx_fail(-ENOMEM, call, NULL, NULL);
		return NULL;
	}
	*node = (struct vx_node){
		.magic = VX_NODE_MAGIC, .kind = (uint16_t)kind, .type = vx_kind_made[kind].used_as, .state = VX_NODE_MAKING,
		.room = room, .given = 1, .owners = 1,
		.destroy = destroy, .busy = pthread_self(),
	};
	if (extra)
		memset(vx_node_extra(node), 0, extra);
	return node;
}

struct vx_node *vx_node_new(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), void *const *uses, size_t count,
			    const char *call)
{
	struct vx_node *node;
	int rc, cancelling;
	uint32_t room = 0;
	size_t i;

	for (i = 0; i < count; i++)
		room += uses[i] && (!i || uses[i] != uses[i - 1]); /* most often a CQ is mentioned twice */
	vx_graph_lock();
	node = vx_node_alloc(extra, kind, destroy, room ? room : 1, call); /* a root may get a parent: vx_node_move() */
	if (!node) {
		vx_graph_unlock();
		return NULL;
	}
	rc = vx_node_reserve(node, uses, count, call);
	node->next = vx_graph.makings;
	vx_graph.makings = node;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	node->cancelling = (unsigned int)cancelling & 3; /* in the word of what closers write who come by */
	vx_graph_unlock();
	if (rc == 0)
		return node;
	vx_node_drop(node);
	return NULL;
}

static bool is_used_as(const struct vx_node *node, const char *type)
{
	return !strcmp(vx_kind_name(node->type), type);
}

VX_SELDOM_CALLED struct vx_node *vx_node_of_or_made(const void *raw, const char *type)
{
	struct vx_node *node = vx_node_of(raw, 0);

	if (node)
		return is_used_as(node, type) ? node : NULL;
	for (node = vx_graph.makings; node; node = node->next)
		if (is_used_as(node, type) && pthread_equal(node->busy, pthread_self()))
			return node;
	return NULL;
}

void vx_node_publish(struct vx_node *node, void *raw)
{
	if (VX_USUALLY(vx_graph.makings == node))
		vx_graph.makings = node->next;
	else
		vx_node_take_out(&vx_graph.makings, node);
	node->object = (struct vx_object){ raw, raw };
	node->state = VX_NODE_LIVE;
	if (node->kind == VX_OBJECT_CTX)
		node->serial = vx_registry_serial(node);
	if (raw)
		vx_registry_add(node);
	vx_graph_wake();
}

int vx_node_link(struct vx_node *node, void *raw, void *out)
{
	int cancelling;

	vx_graph_lock();
	cancelling = (int)node->cancelling; /* from here on, it may be closed by others */
	vx_node_publish(node, raw);
	vx_graph_unlock();
	memcpy(out, &node, sizeof(node));
	pthread_setcancelstate(cancelling, NULL);
	return 0;
}

void vx_node_call_begins(struct vx_node *node)
{
	vx_graph_lock();
	node->calling++;
	vx_graph_unlock();
}

void vx_node_call_ends(void *node)
{
	vx_graph_lock();
	((struct vx_node *)node)->calling--;
	vx_graph_unlock();
}

bool vx_node_is_calling(const struct vx_node *node)
{
	bool calling;

	vx_graph_lock();
	calling = node->calling;
	vx_graph_unlock();
	return calling;
}

VX_COLD void vx_node_drop(struct vx_node *node)
{
	int cancelling;

	vx_graph_lock();
	cancelling = (int)node->cancelling;
	vx_node_take_out(&vx_graph.makings, node);
	vx_node_unlink(node);
	vx_node_free(node);
	vx_graph_wake();
	vx_graph_unlock();
	pthread_setcancelstate(cancelling, NULL);
}
