/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Targets of dynamically connected transport (DCT) by mailbox. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_qpc.h"
#include "config.h"
#include "objects/port.h"
#include "objects/qp.h"

/* It is ready at once */
static struct ib_uverbs_modify_qp attr_of(const struct call *c, const uint8_t *in)
{
	return (struct ib_uverbs_modify_qp){
		.qp_state = IBV_QPS_RTR,
		.port_num = call_port(c, prm_get(in, DCTC_PORT)),
		.pkey_index = prm_get(in, DCTC_PKEY_INDEX),
		.path_mtu = prm_get(in, DCTC_MTU),
		.min_rnr_timer = prm_get(in, DCTC_MIN_RNR_NAK),
		.dest = { .port_num = call_port(c, prm_get(in, DCTC_PORT)),
			  .sgid_index = prm_get(in, DCTC_MY_ADDR_INDEX),
			  .hop_limit = prm_get(in, DCTC_HOP_LIMIT) },
		.qp_access_flags = (prm_get(in, DCTC_RRE) ? IBV_ACCESS_REMOTE_READ : 0) |
				   (prm_get(in, DCTC_RWE) ? IBV_ACCESS_REMOTE_WRITE : 0) |
				   (prm_get(in, DCTC_RAE) ? IBV_ACCESS_REMOTE_ATOMIC : 0),
	};
}

static bool attr_ok(const struct ib_uverbs_modify_qp *a)
{
	const struct port *p = port_get(a->port_num);

	return p && a->pkey_index < p->npkeys && a->path_mtu >= IBV_MTU_256 && a->path_mtu <= IBV_MTU_4096;
}

int dct_create(struct call *c, struct mailboxes *m)
{
	struct object *pd = call_numbered(c, PD, prm_get(m->in, DCTC_PD));
	struct srq *srq = call_numbered(c, SRQ, prm_get(m->in, DCTC_SRQN_XRQN));
	struct cq *cq = call_numbered(c, CQ, prm_get(m->in, DCTC_CQN));
	struct ib_uverbs_modify_qp a = attr_of(c, m->in);
	struct qp *q;

	if (!config.dc)
		return devx_refuse(m, STATUS_BAD_OP);
	if (!pd || !srq || srq->tags || !cq || !attr_ok(&a))
		return devx_refuse(m, STATUS_BAD_PARAM);
	q = qp_new(c->ctx, pd);
	if (!q)
		return devx_refuse(m, STATUS_LIM);
	q->type = IBV_QPT_DRIVER;
	q->dct = true;
	q->dc_key = prm_get64(m->in, DCTC_DC_ACCESS_KEY);
	q->uidx = prm_get(m->in, DCTC_USER_INDEX);
	q->attr = a;
	q->srq = srq;
	q->recv_cq = cq;
	object_hold(&srq->o);
	object_hold(&cq->o);
	prm_set(m->out, CREATED_NUMBER, q->qpn);
	devx_made(c, &q->o);
	return 0;
}

/* From then on it takes nothing in, and what was on its way to it is done: it can be destroyed */
int dct_drain(struct call *c, struct mailboxes *m)
{
	struct qp *q = call_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, QP);

	if (!q || !q->dct || prm_get(m->in, QP_QPN) != q->qpn)
		return EINVAL;
	qp_error(q, NO_EVENT);
	return 0;
}
