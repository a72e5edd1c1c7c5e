/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/srq.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "calls/async.h"
#include "calls/call.h"
#include "calls/devx_event.h"
#include "config.h"
#include "engine/receive.h"
#include "objects/device.h"
#include "objects/tag_list.h"

#define SEGMENT 16

bool srq_pop(struct srq *s, struct recv_wqe *w)
{
	uint16_t posted = be32toh(*(volatile __be32 *)s->db);
	uint8_t *wqe = s->buf + (size_t)s->head * s->stride;
	const struct mlx5_wqe_srq_next_seg *next = (const void *)wqe;

	if (posted == s->consumed)
		return false;
	w->counter = s->head;
	w->seg = (void *)(wqe + sizeof(*next));
	w->nseg = s->stride / SEGMENT - 1;
	s->head = s->cyclic ? (s->head + 1) & (s->count - 1) : be16toh(next->next_wqe_index);
	s->consumed++;
	if (s->limit && (uint16_t)(posted - s->consumed) < s->limit) {
		s->limit = 0;
		async_object_event(&s->o, IBV_EVENT_SRQ_LIMIT_REACHED);
	}
	return true;
}

/* What both ways of creating one have in common */
struct srq_attr {
	struct object *pd;
	uint32_t max_wr, max_sge, limit;
	uint64_t user_handle;
	struct cq *cq;
	struct xrcd *xrcd;
	uint32_t max_tags;
};

static uint32_t stride_for(uint32_t max_sge)
{
	uint32_t stride = 2 * SEGMENT;

	while (stride < SEGMENT + max_sge * SEGMENT)
		stride *= 2;
	return stride;
}

static int check_attr(const struct srq_attr *a, const struct mlx5_ib_create_srq *driver)
{
	if (!a->pd)
		return ENOENT;
	if (a->max_wr > config.max_srq_wr || a->max_sge > config.max_srq_sge || a->limit > a->max_wr)
		return EINVAL;
	if (driver->flags) /* signatures of WQEs */
		return EOPNOTSUPP;
	return driver->buf_addr && driver->db_addr ? 0 : EINVAL;
}

static int setup(struct call *c, const struct srq_attr *a, struct srq **created)
{
	struct mlx5_ib_create_srq_resp resp = { 0 };
	struct mlx5_ib_create_srq driver;
	struct srq *s;
	int rc;

	call_driver_in(c, &driver, sizeof(driver));
	rc = check_attr(a, &driver);
	if (rc)
		return rc;
	s = object_new(c->ctx, SRQ, sizeof(*s), a->pd);
	if (!s)
		return ENOMEM;
	s->o.user_handle = a->user_handle;
	s->buf = (void *)(uintptr_t)driver.buf_addr;
	s->db = (void *)(uintptr_t)driver.db_addr;
	s->uidx = driver.uidx;
	s->max_wr = a->max_wr;
	s->max_sge = a->max_sge;
	s->limit = a->limit;
	s->stride = stride_for(a->max_sge);
	s->cq = a->cq;
	s->xrcd = a->xrcd;
	s->tags = a->max_tags ? tag_list_new(a->max_tags) : NULL;
	object_hold((struct object *)s->cq);
	object_hold((struct object *)s->xrcd);
	resp.srqn = s->o.number;
	call_driver_out(c, &resp, sizeof(resp));
	*created = s;
	return 0;
}

static bool supports(const struct call *c, uint32_t type)
{
	return type == IBV_SRQT_BASIC || (type == IBV_SRQT_XRC && config.xrc) ||
	       (type == IBV_SRQT_TM && device_matches_tags(call_device(c)));
}

static int set_typed(struct call *c, uint32_t type, struct srq_attr *a)
{
	a->cq = call_object(c, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, CQ);
	a->xrcd = call_object(c, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, XRCD);
	if (type == IBV_SRQT_XRC)
		return a->cq && a->xrcd ? 0 : EINVAL;
	a->xrcd = NULL;
	a->max_tags = call_value(c, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS);
	return a->cq && a->max_tags && a->max_tags <= MAX_TAGS ? 0 : EINVAL;
}

/* The form that knows types */
static int create_srq(struct call *c)
{
	uint32_t type = call_value(c, UVERBS_ATTR_CREATE_SRQ_TYPE);
	struct srq_attr a = {
		.pd = call_object(c, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, PD),
		.max_wr = call_value(c, UVERBS_ATTR_CREATE_SRQ_MAX_WR),
		.max_sge = call_value(c, UVERBS_ATTR_CREATE_SRQ_MAX_SGE),
		.limit = call_value(c, UVERBS_ATTR_CREATE_SRQ_LIMIT),
		.user_handle = call_value(c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE),
	};
	struct srq *s;
	int rc;

	if (!supports(c, type))
		return EOPNOTSUPP;
	rc = type == IBV_SRQT_BASIC ? 0 : set_typed(c, type, &a);
	if (rc)
		return rc;
	rc = setup(c, &a, &s);
	if (rc)
		return rc;
	call_put_handle(c, UVERBS_ATTR_CREATE_SRQ_HANDLE, s->o.handle);
	call_put_u32(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, s->max_wr);
	call_put_u32(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, s->max_sge);
	call_put_u32(c, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, s->o.number);
	return 0;
}

static int create_basic_srq(struct call *c)
{
	const struct ib_uverbs_create_srq *in = c->in;
	struct ib_uverbs_create_srq_resp r = { 0 };
	struct srq_attr a = {
		.pd = call_find(c, PD, in->pd_handle),
		.max_wr = in->max_wr,
		.max_sge = in->max_sge,
		.limit = in->srq_limit,
		.user_handle = in->user_handle,
	};
	struct srq *s;
	int rc = setup(c, &a, &s);

	if (rc)
		return rc;
	r.srq_handle = s->o.handle;
	r.srqn = s->o.number;
	r.max_wr = s->max_wr;
	r.max_sge = s->max_sge;
	call_reply(c, &r, sizeof(r));
	return 0;
}

static int modify_srq(struct call *c)
{
	const struct ib_uverbs_modify_srq *in = c->in;
	struct srq *s = call_find(c, SRQ, in->srq_handle);

	if (!s)
		return ENOENT;
	if (in->attr_mask & IBV_SRQ_MAX_WR)
		return EINVAL; /* as the real driver: no resize */
	if (!(in->attr_mask & IBV_SRQ_LIMIT))
		return 0;
	if (in->srq_limit >= s->max_wr)
		return EINVAL;
	s->limit = in->srq_limit;
	return 0;
}

static int query_srq(struct call *c)
{
	const struct ib_uverbs_query_srq *in = c->in;
	struct srq *s = call_find(c, SRQ, in->srq_handle);
	struct ib_uverbs_query_srq_resp r = { 0 };

	if (!s)
		return ENOENT;
	r.max_wr = s->max_wr;
	r.max_sge = s->max_sge;
	r.srq_limit = s->limit;
	call_reply(c, &r, sizeof(r));
	return 0;
}

void srq_release(struct object *o)
{
	struct srq *s = (struct srq *)o;

	tag_list_free(s->tags);
	object_drop((struct object *)s->cq);
	object_drop((struct object *)s->xrcd);
	object_drop(s->umem[0]);
	object_drop(s->umem[1]);
	devx_event_release(o);
}

static int destroy_srq(struct call *c)
{
	struct srq *s = call_object(c, UVERBS_ATTR_DESTROY_SRQ_HANDLE, SRQ);
	struct ib_uverbs_destroy_srq_resp r;

	if (!s)
		return ENOENT;
	if (s->o.users)
		return EBUSY;
	r.events_reported = async_events_reported(&s->o);
	call_put(c, UVERBS_ATTR_DESTROY_SRQ_RESP, &r, sizeof(r));
	return object_destroy(&s->o);
}

const struct method srq_methods[] = {
	METHOD(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, "create_srq", create_srq),
	METHOD(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, "destroy_srq", destroy_srq),
	COMMAND(IB_USER_VERBS_CMD_CREATE_SRQ, ib_uverbs_create_srq, "create_srq", create_basic_srq),
	COMMAND(IB_USER_VERBS_CMD_MODIFY_SRQ, ib_uverbs_modify_srq, "modify_srq", modify_srq),
	COMMAND(IB_USER_VERBS_CMD_QUERY_SRQ, ib_uverbs_query_srq, "query_srq", query_srq),
	{ 0 },
};
