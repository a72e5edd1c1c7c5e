/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/wq.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "bounds.h"
#include "calls/async.h"
#include "calls/call.h"
#include "config.h"

#define KNOWN_MODIFY (IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE | IBV_WQ_ATTR_FLAGS)

struct wq_list wq_list = LIST_HEAD_INITIALIZER(wq_list);

/* Striding, and each of the flags, is a capability that this device lacks */
static int check_create(struct call *c, const struct mlx5_ib_create_wq *driver)
{
	if (!call_is_ethernet(c) || driver->comp_mask || driver->flags ||
	    call_value(c, UVERBS_ATTR_CREATE_WQ_FLAGS))
		return EOPNOTSUPP;
	if (call_value(c, UVERBS_ATTR_CREATE_WQ_TYPE) != IB_UVERBS_WQT_RQ ||
	    call_value(c, UVERBS_ATTR_CREATE_WQ_MAX_WR) > config.max_qp_wr ||
	    call_value(c, UVERBS_ATTR_CREATE_WQ_MAX_SGE) > config.max_sge)
		return EINVAL;
	if (!driver->buf_addr || !driver->db_addr || !driver->rq_wqe_count ||
	    driver->rq_wqe_count > MAX_QP_WR)
		return EINVAL;
	return 0;
}

struct wq *wq_new(struct context *ctx, struct object *pd, struct cq *cq)
{
	struct wq *w = object_new(ctx, WQ, sizeof(*w), pd);

	if (!w)
		return NULL;
	LIST_INSERT_HEAD(&wq_list, w, link);
	w->cq = cq;
	object_hold(&cq->o);
	return w;
}

static struct wq *make_wq(struct call *c, const struct mlx5_ib_create_wq *driver, struct object *pd,
			  struct cq *cq)
{
	struct wq *w = wq_new(c->ctx, pd, cq);

	if (!w)
		return NULL;
	w->o.user_handle = call_value(c, UVERBS_ATTR_CREATE_WQ_USER_HANDLE);
	w->rq = (struct work_queue){ .buf = (void *)(uintptr_t)driver->buf_addr,
				     .db = (void *)(uintptr_t)driver->db_addr,
				     .count = driver->rq_wqe_count,
				     .shift = driver->rq_wqe_shift };
	w->uidx = driver->user_index;
	return w;
}

static int create_wq(struct call *c)
{
	struct object *pd = call_object(c, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, PD);
	struct cq *cq = call_object(c, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, CQ);
	struct mlx5_ib_create_wq_resp resp = { .response_length = sizeof(resp) };
	struct mlx5_ib_create_wq driver;
	struct wq *w;
	int rc;

	call_driver_in(c, &driver, sizeof(driver));
	rc = check_create(c, &driver);
	if (rc)
		return rc;
	if (!pd || !cq)
		return ENOENT;
	w = make_wq(c, &driver, pd, cq);
	if (!w)
		return ENOMEM;
	call_driver_out(c, &resp, sizeof(resp));
	call_put_u32(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, call_value(c, UVERBS_ATTR_CREATE_WQ_MAX_WR));
	call_put_u32(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, call_value(c, UVERBS_ATTR_CREATE_WQ_MAX_SGE));
	call_put_u32(c, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, w->o.number);
	call_put_handle(c, UVERBS_ATTR_CREATE_WQ_HANDLE, w->o.handle);
	return 0;
}

void wq_release(struct object *o)
{
	struct wq *w = (struct wq *)o;

	LIST_REMOVE(w, link);
	object_drop(&w->cq->o);
	object_drop(w->umem[0]);
	object_drop(w->umem[1]);
}

static int destroy_wq(struct call *c)
{
	struct wq *w = call_object(c, UVERBS_ATTR_DESTROY_WQ_HANDLE, WQ);
	uint32_t events;

	if (!w)
		return ENOENT;
	if (w->o.users)
		return EBUSY;
	events = async_events_reported(&w->o);
	call_put_u32(c, UVERBS_ATTR_DESTROY_WQ_RESP, events);
	return object_destroy(&w->o);
}

/* From any state to RESET; only a reset one can be made ready, and only a ready one can fail */
static bool transition_ok(uint32_t from, uint32_t to)
{
	if (to == IBV_WQS_ERR)
		return from != IBV_WQS_RESET;
	return to == IBV_WQS_RESET || (to == IBV_WQS_RDY && from != IBV_WQS_ERR);
}

int wq_move(struct wq *w, uint32_t state)
{
	if (!transition_ok(w->state, state))
		return EINVAL;
	w->state = state;
	if (state == IBV_WQS_RESET)
		w->rq.ci = 0;
	return 0;
}

static int modify_wq(struct call *c)
{
	const struct ib_uverbs_ex_modify_wq *in = c->in;
	struct wq *w = call_find(c, WQ, in->wq_handle);

	if (!w || !in->attr_mask || in->attr_mask & ~(uint32_t)KNOWN_MODIFY)
		return EINVAL;
	if (in->attr_mask & IBV_WQ_ATTR_FLAGS)
		return EOPNOTSUPP;
	if (in->attr_mask & IBV_WQ_ATTR_CURR_STATE && in->curr_wq_state != w->state)
		return EINVAL;
	return in->attr_mask & IBV_WQ_ATTR_STATE ? wq_move(w, in->wq_state) : 0;
}

const struct method wq_methods[] = {
	METHOD(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, "create_wq", create_wq),
	METHOD(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY, "destroy_wq", destroy_wq),
	COMMAND(IB_USER_VERBS_EX_CMD_MODIFY_WQ, ib_uverbs_ex_modify_wq, "modify_wq", modify_wq),
	{ 0 },
};
