/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Indirection tables of receive work queues. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "calls/call.h"
#include "objects/wq.h"

struct rwq_table {
	struct object o;
	uint32_t count;
	struct wq *wq[1 << LOG_MAX_TABLE];
};

static int check_create(const struct call *c)
{
	const struct ib_uverbs_ex_create_rwq_ind_table *in = c->in;

	if (!call_is_ethernet(c) || in->comp_mask)
		return EOPNOTSUPP;
	if (in->log_ind_tbl_size > LOG_MAX_TABLE ||
	    c->in_len < sizeof(*in) + (sizeof(in->wq_handles[0]) << in->log_ind_tbl_size))
		return EINVAL;
	for (uint32_t i = 0; i < 1u << in->log_ind_tbl_size; i++)
		if (!call_find(c, WQ, in->wq_handles[i]))
			return EINVAL;
	return 0;
}

struct object *rwq_table_new(struct context *ctx, struct wq *const *wqs, uint32_t n)
{
	struct rwq_table *t = object_new(ctx, RWQ_TABLE, sizeof(*t), NULL);

	if (!t)
		return NULL;
	t->count = n;
	for (uint32_t i = 0; i < n; i++) {
		t->wq[i] = wqs[i];
		object_hold(&wqs[i]->o);
	}
	return &t->o;
}

static int create_table(struct call *c)
{
	const struct ib_uverbs_ex_create_rwq_ind_table *in = c->in;
	struct ib_uverbs_ex_create_rwq_ind_table_resp r = { .response_length = sizeof(r) };
	int rc = check_create(c);
	struct wq *wqs[1 << LOG_MAX_TABLE];
	struct object *t;

	if (rc)
		return rc;
	for (uint32_t i = 0; i < 1u << in->log_ind_tbl_size; i++)
		wqs[i] = call_find(c, WQ, in->wq_handles[i]);
	t = rwq_table_new(c->ctx, wqs, 1u << in->log_ind_tbl_size);
	if (!t)
		return ENOMEM;
	r.ind_tbl_handle = t->handle;
	r.ind_tbl_num = t->number;
	call_reply(c, &r, sizeof(r));
	return 0;
}

void rwq_table_release(struct object *o)
{
	struct rwq_table *t = (struct rwq_table *)o;

	for (uint32_t i = 0; i < t->count; i++)
		object_drop(&t->wq[i]->o);
}

struct wq *rwq_table_pick(struct object *table, uint32_t hash)
{
	struct rwq_table *t = (struct rwq_table *)table;

	return t->wq[hash & (t->count - 1)];
}

static int destroy_table(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE, RWQ_TABLE));
}

const struct method rwq_table_methods[] = {
	COMMAND(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL, ib_uverbs_ex_create_rwq_ind_table,
		"create_rwq_ind_table", create_table),
	METHOD(UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY, "destroy_rwq_ind_table",
	       destroy_table),
	{ 0 },
};
