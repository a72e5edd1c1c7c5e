/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Receive queues (RQ) and tables of them (RQT) by mailbox. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_rx.h"
#include "objects/umem.h"
#include "objects/wq.h"

#define LOG_MAX_STRIDE 10
#define DBR_SIZE 8
#define NUMBER_SIZE 4 /* of an entry in a table */

/* It begins reset. Frames keep their VLAN tag, and queues are neither of an RMP nor of a hairpin */
static bool is_known(const uint8_t *in)
{
	return prm_get(in, RQC_STATE) == RQC_STATE_RST && prm_get(in, RQC_VSD) &&
	       prm_get(in, RQC_MEM_RQ_TYPE) == MEMORY_RQ_INLINE && !prm_get(in, RQC_HAIRPIN) &&
	       prm_get(in, WQ_TYPE) == WQ_CYCLIC && prm_get(in, WQ_LOG_STRIDE) >= 4 &&
	       prm_get(in, WQ_LOG_STRIDE) <= LOG_MAX_STRIDE && 1u << prm_get(in, WQ_LOG_SZ) <= MAX_QP_WR;
}

static bool set_queue(struct wq *w, const uint8_t *in)
{
	w->rq.shift = prm_get(in, WQ_LOG_STRIDE);
	w->rq.count = 1u << prm_get(in, WQ_LOG_SZ);
	w->rq.db = umem_use(prm_get(in, WQ_DBR_UMEM_ID), prm_get64(in, WQ_DBR_ADDR), DBR_SIZE, &w->umem[0]);
	w->rq.buf = umem_use(prm_get(in, WQ_UMEM_ID), prm_get64(in, WQ_UMEM_OFFSET),
			     (uint64_t)w->rq.count << w->rq.shift, &w->umem[1]);
	return w->rq.db && w->rq.buf;
}

int rq_create(struct call *c, struct mailboxes *m)
{
	struct object *pd = call_numbered(c, PD, prm_get(m->in, WQ_PD));
	struct cq *cq = call_numbered(c, CQ, prm_get(m->in, RQC_CQN));
	struct wq *w;

	if (!call_is_ethernet(c))
		return devx_refuse(m, STATUS_BAD_OP);
	if (!pd || !cq || !is_known(m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	w = wq_new(c->ctx, pd, cq);
	if (!w)
		return devx_refuse(m, STATUS_LIM);
	if (!set_queue(w, m->in)) {
		object_free(&w->o);
		return devx_refuse(m, STATUS_BAD_PARAM);
	}
	w->uidx = prm_get(m->in, RQC_USER_INDEX);
	prm_set(m->out, CREATED_NUMBER, w->o.number);
	devx_made(c, &w->o);
	return 0;
}

/* In states of verbs, or -1 */
static int state_of(uint32_t state)
{
	return state == RQC_STATE_RST ? IBV_WQS_RESET :
	       state == RQC_STATE_RDY ? IBV_WQS_RDY :
	       state == RQC_STATE_ERR ? IBV_WQS_ERR :
					-1;
}

int rq_modify(struct call *c, struct mailboxes *m)
{
	struct wq *w = call_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, WQ);
	int to = state_of(prm_get(m->in, RQC_STATE));

	if (!w || prm_get(m->in, MODIFY_RQN) != w->o.number || to < 0)
		return devx_refuse(m, STATUS_BAD_PARAM);
	if (state_of(prm_get(m->in, MODIFY_RQ_STATE)) != (int)w->state || wq_move(w, to))
		return devx_refuse(m, STATUS_BAD_RES_STATE);
	return 0;
}

/* The hash picks by its low bits; 0 where it is not so */
static uint32_t table_size(const struct mailboxes *m)
{
	uint32_t n = prm_get(m->in, RQTC_RQT_ACTUAL_SIZE);

	if (!n || n & (n - 1) || n > 1 << LOG_MAX_TABLE || n > prm_get(m->in, RQTC_RQT_MAX_SIZE) ||
	    prm_get(m->in, RQTC_LIST_Q_TYPE) || m->in_len < CREATE_RQT_SIZE + n * NUMBER_SIZE)
		return 0;
	return n;
}

int rqt_create(struct call *c, struct mailboxes *m)
{
	uint32_t n = table_size(m);
	struct wq *wqs[1 << LOG_MAX_TABLE];
	struct object *o;

	if (!call_is_ethernet(c))
		return devx_refuse(m, STATUS_BAD_OP);
	if (!n)
		return devx_refuse(m, STATUS_BAD_PARAM);
	for (uint32_t i = 0; i < n; i++) {
		wqs[i] = call_numbered(c, WQ, prm_get(m->in + CREATE_RQT_SIZE + i * NUMBER_SIZE, RQ_NUM));
		if (!wqs[i])
			return devx_refuse(m, STATUS_BAD_PARAM);
	}
	o = rwq_table_new(c->ctx, wqs, n);
	if (!o)
		return devx_refuse(m, STATUS_LIM);
	prm_set(m->out, CREATED_NUMBER, o->number);
	devx_made(c, o);
	return 0;
}
