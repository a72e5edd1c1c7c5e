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

/* Of what a node depends on, the first of what that depends on, and so on up to a context or a root; and whether there were other ways. */
static inline const struct vx_node *top_of(const struct vx_node *node, bool *forks)
{
	for (*forks = false; node->uses && node->kind != VX_OBJECT_CTX; node = vx_node_used(node, 0))
		*forks |= node->uses > 1;
	return node;
}

/* As far as there is one way up alone, it is the one that has been looked at. */
static VX_SELDOM_CALLED struct vx_node *search_ctx(const struct vx_node *node)
{
	struct vx_node *found = NULL;
	uint32_t i;

	while (node->uses == 1)
		node = vx_node_used(node, 0);
	for (i = 0; !found && i < node->uses; i++)
		found = vx_node_ctx(vx_node_used(node, i));
	return found;
}

/* An id of a connection, as yet, has none, and one way up. */
static inline struct vx_node *ctx_of(const struct vx_node *node)
{
	bool forks;
	const struct vx_node *first = top_of(node, &forks); /* most often all there is */

	return VX_USUALLY(first->kind == VX_OBJECT_CTX) ? (struct vx_node *)first : VX_SELDOM(forks) ? search_ctx(node) : NULL;
}

struct vx_node *vx_node_ctx(const struct vx_node *node)
{
	return ctx_of(node);
}

/* ---- what a new node depends on ---- */

/* Or it is of none: nothing is wrong then. */
static VX_COLD int is_elsewhere(const struct vx_node *used, const struct vx_node *ctx, const char *call)
{
	if (ctx && ctx->lost)
		return vx_fail(-EIO, call, VX_NAME(ctx), "%s", VX_DEVICE_LOST);
	return ctx ? vx_fail(-EINVAL, call, NULL, "%s belongs to another context", VX_NAME(used)) : 0;
}

/* All are of one context, as far as they have one. */
static inline int check_use(const struct vx_node *used, const struct vx_node **ctx, const char *call)
{
	const struct vx_node *other;

	if (VX_SELDOM(used->magic != VX_NODE_MAGIC || used->state != VX_NODE_LIVE))
		return vx_node_busy_fail(used, call);
	other = ctx_of(used);
	if (!*ctx && other && !other->lost)
		*ctx = other;
	return VX_USUALLY(other == *ctx) ? 0 : is_elsewhere(used, other, call);
}

static inline bool is_among(const struct vx_edge *edges, const struct vx_edge *end, const struct vx_node *used)
{
	while (edges != end && edges->used != used)
		edges++;
	return edges != end;
}

static VX_HOT int reserve(struct vx_node *node, const struct vx_node *ctx, void *const *uses, size_t count, const char *call)
{
	struct vx_edge *edge = edges_of(node) + node->uses;
	const struct vx_edge *end = edges_of(node) + node->room;
	size_t i;
	int rc = 0;

	for (i = 0; i < count && edge != end; i++) {
		if (!uses[i] || VX_SELDOM(is_among(edges_of(node), edge, uses[i])))
			continue;
		rc = check_use(uses[i], &ctx, call);
		if (VX_SELDOM(rc < 0))
			break;
		edge->user = node;
		vx_edge_link(edge++, uses[i]);
	}
	node->uses = (uint32_t)(edge - edges_of(node));
	return rc;
}

VX_SELDOM_CALLED int vx_node_reserve(struct vx_node *node, void *const *uses, size_t count, const char *call)
{
	return reserve(node, node->uses ? vx_node_ctx(node) : NULL, uses, count, call);
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

/*
 * What handles lay in that are no more, a list for each size: many programs end one of each kind and make the next. malloc(3) forgets
 * where what was freed last is as soon as rdma-core, which asks calloc(3), has freed some of that size.
 */
enum { GRAIN = 16, HEAD = 8, LISTS = 64, MOST_SPARE = 8 }; /* what malloc(3) gives is a multiple of the first, less the second */

static struct vx_node *spare_nodes[LISTS];

/* @return in which list memory of a size goes */
static inline uint8_t list_for(size_t size)
{
	const size_t at = (size + HEAD + GRAIN - 1) / GRAIN;

	return VX_USUALLY(vx_graph.reuses && at < LISTS) ? (uint8_t)at : 0;
}

/* It may be good for a longer list than that of its size, or a shorter one. */
static VX_SELDOM_CALLED struct vx_node *more_memory(size_t size, bool reuses, const char *call)
{
	struct vx_node *node = malloc(size);
	size_t at;

	if (!node) {
		vx_fail(-ENOMEM, call, NULL, NULL);
		return NULL;
	}
	at = reuses ? (malloc_usable_size(node) + HEAD) / GRAIN : 0;
	node->list = (uint8_t)(at < LISTS ? at : 0);
	return node;
}

/* How long its list is by now is kept in the first of it. */
void vx_node_free(struct vx_node *node)
{
	const uint32_t list = node->list;
	struct vx_node *first = spare_nodes[list];

	*(volatile uint32_t *)&node->magic = 0; /* what is not volatile, and written before free(3), compilers leave out */
	*(void *volatile *)&node->object.raw = VX_RAW_GONE;
	if (VX_SELDOM(!list || (first && first->room == MOST_SPARE))) {
		free(node);
		return;
	}
	node->room = first ? first->room + 1 : 1;
	node->next = first;
	spare_nodes[list] = node;
}

/* MAKING. By halves: for all of it gcc takes a loop, or an instruction that begins slowly. */
static inline void clear(struct vx_node *node)
{
	memset(node, 0, sizeof(*node) / 2);
	memset((char *)node + sizeof(*node) / 2, 0, sizeof(*node) - sizeof(*node) / 2);
}

static inline struct vx_node *alloc(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), uint32_t room, const char *call)
{
	const size_t size = vx_extra_at(room) + (extra + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
	uint8_t list = list_for(size);
	struct vx_kind_made *made = &vx_kind_made[kind];
	struct vx_node *node = spare_nodes[list];

	if (VX_USUALLY(node))
		spare_nodes[list] = node->next;
	else
		node = more_memory(size, list, call);
	if (VX_SELDOM(!node))
		return NULL;
	list = node->list;
	clear(node);
	node->magic = VX_NODE_MAGIC;
	node->kind = (uint16_t)kind;
	node->type = made->used_as;
	node->list = list;
	node->serial = ++made->count;
	node->room = room;
	node->given = node->owners = 1;
	node->destroy = destroy;
	node->busy = pthread_self();
	if (VX_USUALLY(extra && extra <= sizeof(uint64_t)))
		memset(vx_node_extra(node), 0, sizeof(uint64_t)); /* without a call, for some flags */
	else if (extra)
		memset(vx_node_extra(node), 0, extra);
	return node;
}

VX_SELDOM_CALLED struct vx_node *vx_node_alloc(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), uint32_t room,
					       const char *call)
{
	return alloc(extra, kind, destroy, room, call);
}

/* Nobody has seen it yet. NULL: there is none. */
static VX_COLD struct vx_node *give_node_up(struct vx_node *node, int cancelling)
{
	if (node) {
		vx_node_unlink(node);
		vx_node_free(node);
	}
	vx_graph_unlock();
	pthread_setcancelstate(cancelling, NULL);
	return NULL;
}

struct vx_node *vx_node_new(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), void *const *uses, size_t count,
			    const char *call)
{
	struct vx_node *node;
	uint32_t room = 0;
	int cancelling;
	size_t i;

	for (i = 0; i < count; i++)
		room += uses[i] && (!i || uses[i] != uses[i - 1]); /* most often a CQ is mentioned twice */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	vx_graph_lock();
	node = alloc(extra, kind, destroy, room ? room : 1, call); /* a root may get a parent: vx_node_move() */
	if (VX_SELDOM(!node || reserve(node, NULL, uses, count, call) < 0))
		return give_node_up(node, cancelling);
	node->cancelling = (unsigned int)cancelling & 3; /* in the word of what closers write who come by */
	node->next = vx_graph.makings;
	vx_graph.makings = node;
	vx_graph_unlock();
	return node;
}

/* Of one that is ENDING, rdma-core may have freed the raw object already. */
static bool is_open_beside(const struct vx_node *node, const struct vx_node *ctx)
{
	const struct ibv_context *a = node->object.raw, *b = ctx->object.raw;

	return node->state != VX_NODE_ENDING && !strcmp(a->device->name, b->device->name);
}

/* Which of the open contexts of its device a new one is, from 1. */
static VX_SELDOM_CALLED uint32_t serial_of(const struct vx_node *ctx)
{
	const struct vx_node *node;
	uint32_t last = 0;

	for (node = vx_graph.contexts; node; node = node->next)
		if (node->serial > last && is_open_beside(node, ctx))
			last = node->serial;
	return last + 1;
}

static inline void publish(struct vx_node *node, void *raw)
{
	if (VX_USUALLY(vx_graph.makings == node))
		vx_graph.makings = node->next;
	else
		vx_node_take_out(&vx_graph.makings, node);
	node->object = (struct vx_object){ raw, raw };
	node->state = VX_NODE_LIVE;
	if (node->kind == VX_OBJECT_CTX)
		node->serial = serial_of(node);
	if (raw)
		vx_registry_add(node);
	vx_graph_wake();
}

VX_SELDOM_CALLED void vx_node_publish(struct vx_node *node, void *raw)
{
	publish(node, raw);
}

int vx_node_link(struct vx_node *node, void *raw, void *out)
{
	int cancelling;

	vx_graph_lock();
	cancelling = (int)node->cancelling; /* from here on, it may be closed by others */
	publish(node, raw);
	vx_graph_unlock();
	memcpy(out, &node, sizeof(node));
	pthread_setcancelstate(cancelling, NULL);
	return 0;
}

void vx_node_call_begins(struct vx_node *node)
{
	VX_LOCKED(node->calling++);
}

void vx_node_call_ends(void *node)
{
	VX_LOCKED(((struct vx_node *)node)->calling--);
}

bool vx_node_is_calling(const struct vx_node *node)
{
	bool calling;

	VX_LOCKED(calling = node->calling);
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
