/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Taking over objects that were made without libverbsx: where they belong, and what they depend on. */

#include <errno.h>
#include <string.h>

#include "error/fail.h"
#include "make.h"

static int is_of_another(const struct vx_adopting *it, const struct vx_node *owner)
{
	return vx_fail(-EINVAL, it->call, NULL, "the object does not belong to %s", VX_NAME(owner));
}

static int check(const struct vx_adopting *it, const void *out)
{
	const struct vx_node *parent = it->parent, *ctx;

	if (it->parent_kind && vx_refuses(parent, it->parent_kind, out, it->call))
		return -EINVAL;
	if (!out || !it->raw)
		return vx_null_fail(it->call, out ? "the object" : "out");
	if (it->of_context && !it->context)
		return vx_fail(-EINVAL, it->call, NULL, "the object has no context, so it is none that rdma-core has made");
	if (!it->parent_kind)
		return 0;
	ctx = vx_node_ctx(parent);
	if (it->context && ctx && it->context != ctx->object.raw)
		return is_of_another(it, ctx);
	return it->raw_parent && it->raw_parent != parent->object.raw ? is_of_another(it, parent) : 0;
}

static void note_lent(const struct vx_node *node)
{
	struct vx_node *ctx = node->lent ? vx_node_ctx(node) : NULL;

	if (!ctx)
		return;
	ctx->lends = true;
	__atomic_store_n(&vx_graph.lends, true, __ATOMIC_RELAXED);
}

/* The handle that it has already, once more. */
static int give_again(const struct vx_adopting *it, struct vx_node *node)
{
	const struct vx_node *ctx = it->parent_kind ? vx_node_ctx(it->parent) : NULL;

	if (node->state != VX_NODE_LIVE)
		return vx_node_busy_fail(node, it->call);
	if (ctx && vx_node_ctx(node) != ctx)
		return is_of_another(it, ctx);
	node->given += it->how != VX_HELD;
	node->owners += it->how == VX_ADOPTED;
	node->lent = !node->owners && (node->lent || it->how >= VX_LENT); /* the program may have borrowed it before */
	note_lent(node);
	return 0;
}

static int depend_on_all(const struct vx_adopting *it, struct vx_node *node)
{
	int rc = vx_node_reserve(node, &it->parent, 1, it->call);
	void *used;
	size_t i;

	for (i = 0; i < it->count && rc == 0; i++) {
		used = vx_node_of(it->uses[i], 0);
		rc = vx_node_reserve(node, &used, 1, it->call);
	}
	return rc;
}

static int give_first(const struct vx_adopting *it, struct vx_node **out)
{
	struct vx_node *node = vx_node_alloc(it->extra, it->kind, it->destroy, (uint32_t)(1 + it->count), it->call);

	if (!node)
		return -ENOMEM;
	if (depend_on_all(it, node) < 0) {
		vx_node_unlink(node);
		vx_node_free(node);
		return vx_error()->code;
	}
	if (it->kept)
		memcpy(vx_node_extra(node), it->kept, it->extra);
	node->found = true;
	node->given = it->how != VX_HELD;
	node->lent = it->how >= VX_LENT;
	node->owners = it->how == VX_ADOPTED;
	node->counted = it->counted;
	note_lent(node);
	vx_node_publish(node, it->raw);
	if (it->front)
		vx_front_put(node, it->front);
	if (it->tap)
		vx_front_put(node, it->tap);
	*out = node;
	return 0;
}

/*
 * What another thread is just ending is not what is meant: rdma-core has given its address to another object. So is what librdmacm
 * lends, as it goes with the last id of a device, and another one has come.
 */
static bool is_going(const struct vx_node *node)
{
	return (node->state == VX_NODE_ENDING || (node->lent && node->state == VX_NODE_CLOSING)) && vx_node_is_busy_elsewhere(node);
}

static int find_known(const struct vx_adopting *it, struct vx_node **known)
{
	while ((*known = vx_node_of(it->raw, vx_kind_made[it->kind].used_as)) && is_going(*known))
		if (!vx_graph_wait_for((*known)->busy))
			return vx_node_waits_fail(*known, it->call);
	return 0;
}

int vx_adopt(const struct vx_adopting *it, void *out)
{
	struct vx_node *known = NULL, *fresh = NULL;
	int rc = check(it, out);

	if (rc == 0) {
		vx_graph_lock();
		rc = find_known(it, &known);
		if (rc == 0)
			rc = known ? give_again(it, known) : give_first(it, &fresh);
		vx_graph_unlock();
	}
	if (rc == 0)
		memcpy(out, known ? &known : &fresh, sizeof(fresh));
	if (!fresh) {
		vx_fronts_free(it->front, NULL);
		vx_fronts_free(it->tap, NULL);
	}
	return rc;
}

static const void *pointer_at(const void *raw, uint16_t at)
{
	const void *found = NULL;

	if (raw && at != VX_NOWHERE)
		memcpy(&found, (const char *)raw + at, sizeof(found));
	return found;
}

int vx_take(const struct vx_taken *row, int (*destroy)(struct vx_node *), void *parent, void *raw, enum vx_taking how, const char *call,
	    void *out)
{
	const struct vx_adopting it = {
		.kind = row->kind, .destroy = destroy, .call = call, .extra = row->extra, .how = how, .counted = row->counted,
		.parent_kind = row->parent_kind, .parent = parent, .raw = raw,
		.context = pointer_at(raw, row->context_at), .of_context = row->context_at != VX_NOWHERE, .raw_parent = pointer_at(raw, row->parent_at),
	};

	return vx_adopt(&it, out);
}
