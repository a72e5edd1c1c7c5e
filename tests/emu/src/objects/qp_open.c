/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/qp_open.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "calls/async.h"
#include "calls/call.h"
#include "calls/devx_event.h"
#include "config.h"
#include "objects/xrcd.h"

struct opened_qp {
	struct object o;
	LIST_ENTRY(opened_qp) link;
	struct qp *qp;
	struct xrcd *xrcd;
};

struct object *qp_handle(const struct call *c, uint64_t handle)
{
	struct object *o = call_find(c, QP, handle);

	return o ? o : call_find(c, OPENED_QP, handle);
}

struct qp *qp_of_handle(const struct call *c, uint64_t handle)
{
	struct object *o = qp_handle(c, handle);

	return o && o->kind == OPENED_QP ? ((struct opened_qp *)o)->qp : (struct qp *)o;
}

/* Whose it is and in which domain is then up to those who still have it open */
static void follow(struct qp *q)
{
	const struct opened_qp *other = LIST_FIRST(&q->opened);

	q->o.ctx = other->o.ctx;
	q->xrcd = other->xrcd;
}

bool qp_outlives(struct object *o)
{
	struct qp *q = (struct qp *)o;

	if (LIST_EMPTY(&q->opened))
		return false;
	q->closed = true;
	object_drop((struct object *)q->xrcd);
	follow(q);
	return true;
}

void qp_opened_release(struct object *o)
{
	struct opened_qp *opened = (struct opened_qp *)o;
	struct qp *q = opened->qp;

	LIST_REMOVE(opened, link);
	object_drop((struct object *)opened->xrcd);
	if (!q->closed)
		return;
	if (!LIST_EMPTY(&q->opened)) {
		follow(q);
		return;
	}
	q->xrcd = NULL; /* was dropped with the first handle */
	object_free(&q->o);
}

void qp_event(struct qp *q, int type)
{
	struct opened_qp *opened;

	if (q->o.by_devx) {
		devx_event_object(&q->o, q->qpn, type);
		return;
	}
	if (!q->closed)
		async_object_event(&q->o, type);
	LIST_FOREACH(opened, &q->opened, link)
	async_object_event(&opened->o, type);
}

/* The kernel has one error for all that may be wrong */
static struct qp *find_opened(const struct ib_uverbs_open_qp *in, const struct xrcd *xrcd)
{
	struct qp *q = in->qp_type == IBV_QPT_XRC_RECV ? qp_by_number(in->qpn) : NULL;

	return q && xrcd && q->type == IBV_QPT_XRC_RECV && xrcd_is_same(q->xrcd, xrcd) ? q : NULL;
}

static int open_qp(struct call *c)
{
	const struct ib_uverbs_open_qp *in = c->in;
	struct xrcd *xrcd = call_find(c, XRCD, in->pd_handle);
	struct qp *q = find_opened(in, xrcd);
	struct opened_qp *opened;

	if (!config.open_qp)
		return EOPNOTSUPP;
	if (!q)
		return EINVAL;
	opened = object_new(c->ctx, OPENED_QP, sizeof(*opened), NULL);
	if (!opened)
		return ENOMEM;
	opened->o.user_handle = in->user_handle;
	opened->qp = q;
	opened->xrcd = xrcd;
	object_hold(&xrcd->o);
	LIST_INSERT_HEAD(&q->opened, opened, link);

	struct ib_uverbs_create_qp_resp r = { .qp_handle = opened->o.handle, .qpn = q->qpn };
	call_reply(c, &r, sizeof(r));
	return 0;
}

const struct method qp_open_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_OPEN_QP, ib_uverbs_open_qp, "open_qp", open_qp),
	{ 0 },
};
