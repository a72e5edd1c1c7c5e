/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flows of mlx5dv: a matcher, a value, a destination, and actions. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "calls/call.h"
#include "objects/flow.h"
#include "objects/flow_matcher.h"
#include "objects/flow_table.h"
#include "objects/qp.h"

#define TAG_LIMIT (1u << 24)

static const uint32_t *handles(struct call *c, int id, size_t *n)
{
	struct ib_uverbs_attr *a = call_attr(c, id);

	*n = a ? a->len / sizeof(uint32_t) : 0;
	return attr_data(a);
}

static int add_counter(struct flow *f, struct call *c)
{
	size_t n;
	const uint32_t *handle = handles(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, &n);

	if (!n)
		return 0;
	f->counter = call_find(c, FLOW_COUNTER, handle[0]);
	return f->counter && n == 1 ? 0 : EINVAL;
}

static int add_actions(struct flow *f, struct call *c)
{
	size_t n;
	const uint32_t *handle = handles(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS, &n);

	if (n > MAX_FLOW_ACTIONS)
		return EINVAL;
	for (size_t i = 0; i < n; i++) {
		f->actions[i] = call_find(c, FLOW_ACTION, handle[i]);
		if (!f->actions[i] || f->actions[i]->egress != f->egress)
			return EINVAL;
	}
	f->nactions = n;
	return 0;
}

/* A TIR, or a table, which is for what goes or for what comes */
static int add_devx_destination(struct flow *f, struct call *c)
{
	f->table = call_object(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, FLOW_TABLE);
	f->tir = f->egress ? NULL : call_object(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, TIR);
	return f->tir || (f->table && f->table->egress == f->egress) ? 0 : EINVAL;
}

/* A frame that leaves has no destination but the wire, by a table or at once; one that arrives has one at least */
static int add_destination(struct flow *f, struct call *c)
{
	uint32_t flags = call_value(c, MLX5_IB_ATTR_CREATE_FLOW_FLAGS);
	bool to_qp = call_attr(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP);
	bool to_devx = call_attr(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX);

	if (flags &
	    ~(uint32_t)(MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS | MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP))
		return EOPNOTSUPP;
	f->drop = flags & MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP;
	f->miss = flags & MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS;
	if (to_qp + to_devx + f->drop + f->miss > 1 || (f->egress && (to_qp || f->miss)) ||
	    (!f->egress && !to_qp && !to_devx && !flags))
		return EINVAL;
	if (to_devx)
		return add_devx_destination(f, c);
	if (!to_qp)
		return 0;
	f->qp = call_object(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, QP);
	return f->qp && f->qp->type == IBV_QPT_RAW_PACKET ? 0 : EINVAL;
}

static int add_tag(struct flow *f, struct call *c)
{
	f->has_tag = call_attr(c, MLX5_IB_ATTR_CREATE_FLOW_TAG);
	f->tag = call_value(c, MLX5_IB_ATTR_CREATE_FLOW_TAG);
	return f->tag >= TAG_LIMIT || (f->has_tag && f->egress) ? EINVAL : 0;
}

static int describe(struct flow *f, struct call *c)
{
	struct ib_uverbs_attr *value = call_attr(c, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE);
	int rc;

	f->matcher = call_object(c, MLX5_IB_ATTR_CREATE_FLOW_MATCHER, FLOW_MATCHER);
	if (!f->matcher || !value || !value->len || value->len > FTE_LONGEST)
		return f->matcher ? EINVAL : ENOENT;
	memcpy(f->value, attr_data(value), value->len < FTE_SIZE ? value->len : FTE_SIZE);
	f->egress = f->matcher->egress;
	f->rank = FLOW_RANK(f->matcher->priority);
	rc = add_destination(f, c);
	if (!rc)
		rc = add_tag(f, c);
	if (!rc)
		rc = add_counter(f, c);
	return rc ? rc : add_actions(f, c);
}

static void hold_all(struct flow *f)
{
	object_hold(&f->matcher->o);
	object_hold((struct object *)f->tir);
	object_hold((struct object *)f->table);
	object_hold((struct object *)f->counter);
	for (uint32_t i = 0; i < f->nactions; i++)
		object_hold(&f->actions[i]->o);
}

void flow_dv_release(struct flow *f)
{
	if (!f->matcher)
		return;
	object_drop(&f->matcher->o);
	object_drop((struct object *)f->tir);
	object_drop((struct object *)f->table);
	object_drop((struct object *)f->counter);
	for (uint32_t i = 0; i < f->nactions; i++)
		object_drop(&f->actions[i]->o);
}

static int create_flow(struct call *c)
{
	struct flow wanted = { .o = { .device = call_device(c) }, .type = IBV_FLOW_ATTR_NORMAL }, *f;
	int rc = describe(&wanted, c);

	if (!rc)
		rc = flow_check_conflicts(&wanted);
	if (rc)
		return rc;
	f = flow_new(c, &wanted);
	if (!f)
		return ENOMEM;
	hold_all(f);
	call_put_handle(c, MLX5_IB_ATTR_CREATE_FLOW_HANDLE, f->o.handle);
	return 0;
}

static int destroy_flow(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_DESTROY_FLOW_HANDLE, FLOW));
}

const struct method flow_dv_methods[] = {
	METHOD(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW, "create_flow", create_flow),
	METHOD(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_DESTROY_FLOW, "destroy_flow", destroy_flow),
	{ 0 },
};
