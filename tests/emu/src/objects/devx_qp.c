/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* QPs by mailbox: CREATE_QP, the transitions, QUERY_QP. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_qpc.h"
#include "config.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "objects/sched.h"
#include "objects/umem.h"

#define LOG_WQEBB 6
#define LOG_SEGMENT 4
#define DBR_SIZE 8

static const struct transport {
	uint8_t st;
	enum ibv_qp_type type;
	bool dci;
} transports[] = {
	{ ST_RC, IBV_QPT_RC, false },
	{ ST_UC, IBV_QPT_UC, false },
	{ ST_UD, IBV_QPT_UD, false },
	{ ST_DCI, IBV_QPT_DRIVER, true },
};

static const struct transport *transport_of(const uint8_t *qpc)
{
	for (size_t i = 0; i < ARRAY_SIZE(transports); i++)
		if (transports[i].st == prm_get(qpc, QPC_ST))
			return &transports[i];
	return NULL;
}

static void set_users(const struct call *c, struct qp *q, const uint8_t *qpc)
{
	q->send_cq = call_numbered(c, CQ, prm_get(qpc, QPC_CQN_SND));
	q->recv_cq = call_numbered(c, CQ, prm_get(qpc, QPC_CQN_RCV));
	if (prm_get(qpc, QPC_RQ_TYPE) == RQ_SRQ_RMP_XRQ)
		q->srq = call_numbered(c, SRQ, prm_get(qpc, QPC_SRQN_RMPN_XRQN));
	object_hold((struct object *)q->send_cq);
	object_hold((struct object *)q->recv_cq);
	object_hold((struct object *)q->srq);
}

/* The sizes; the receive queue comes first in the memory of both */
static void set_sizes(struct qp *q, const uint8_t *qpc)
{
	if (!prm_get(qpc, QPC_NO_SQ))
		q->sq = (struct work_queue){ .count = 1u << prm_get(qpc, QPC_LOG_SQ_SIZE),
					     .shift = LOG_WQEBB };
	if (prm_get(qpc, QPC_RQ_TYPE) == RQ_REGULAR && !q->dci)
		q->rq = (struct work_queue){ .count = 1u << prm_get(qpc, QPC_LOG_RQ_SIZE),
					     .shift = LOG_SEGMENT + prm_get(qpc, QPC_LOG_RQ_STRIDE) };
}

static int set_memory(struct qp *q, const uint8_t *in, const uint8_t *qpc)
{
	uint64_t rq_size = (uint64_t)q->rq.count << q->rq.shift;
	uint64_t size = rq_size + ((uint64_t)q->sq.count << q->sq.shift);
	__be32 *db =
		umem_use(prm_get(qpc, QPC_DBR_UMEM_ID), prm_get64(qpc, QPC_DBR_ADDR), DBR_SIZE, &q->umem[0]);
	uint8_t *wq = umem_use(prm_get(in, CREATE_QP_WQ_UMEM_ID), prm_get64(in, CREATE_QP_WQ_UMEM_OFFSET),
			       size, &q->umem[1]);

	if (!db || !wq)
		return -1;
	q->rq.buf = wq;
	q->rq.db = db;
	q->sq.buf = wq + rq_size;
	q->sq.db = db + 1;
	return 0;
}

static bool is_complete(const struct qp *q, const uint8_t *qpc)
{
	return (!q->sq.count || q->send_cq) && (!q->rq.count || q->recv_cq) &&
	       (prm_get(qpc, QPC_RQ_TYPE) != RQ_SRQ_RMP_XRQ || q->srq) &&
	       !(q->srq && q->srq->tags && q->type != IBV_QPT_RC);
}

int qp_create_by_mailbox(struct call *c, struct mailboxes *m)
{
	const uint8_t *qpc = m->in + QPC_AT;
	struct object *pd = call_numbered(c, PD, prm_get(qpc, QPC_PD));
	const struct transport *transport = transport_of(qpc);
	struct qp *q;

	if (!pd || !transport || prm_get(qpc, QPC_RQ_TYPE) > RQ_SRQ_RMP_XRQ)
		return devx_refuse(m, STATUS_BAD_PARAM);
	q = qp_new(c->ctx, pd);
	if (!q)
		return devx_refuse(m, STATUS_LIM);
	q->type = transport->type;
	q->dci = transport->dci;
	q->uidx = prm_get(qpc, QPC_USER_INDEX);
	set_users(c, q, qpc);
	set_sizes(q, qpc);
	if (set_memory(q, m->in, qpc) || !is_complete(q, qpc)) {
		object_free(&q->o);
		return devx_refuse(m, STATUS_BAD_PARAM);
	}
	prm_set(m->out, CREATED_NUMBER, q->qpn);
	devx_made(c, &q->o);
	return 0;
}

/* The QP that a command is about, made by a mailbox or by verbs; the mailbox names it too */
static struct qp *qp_meant(struct call *c, const struct mailboxes *m, int handle_id)
{
	struct qp *q = call_object(c, handle_id, QP);

	return q && prm_get(m->in, QP_QPN) == q->qpn ? q : NULL;
}

static struct qp *qp_to_modify(struct call *c, const struct mailboxes *m)
{
	return qp_meant(c, m, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);
}

static uint32_t access_of(const uint8_t *qpc)
{
	return (prm_get(qpc, QPC_RRE) ? IBV_ACCESS_REMOTE_READ : 0) |
	       (prm_get(qpc, QPC_RWE) ? IBV_ACCESS_REMOTE_WRITE : 0) |
	       (prm_get(qpc, QPC_RAE) ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

static struct ib_uverbs_qp_dest path_of(const struct call *c, const uint8_t *qpc)
{
	const struct port *p = port_get(call_port(c, prm_get(qpc, ADS_VHCA_PORT_NUM)));
	uint32_t rate = prm_get(qpc, ADS_STAT_RATE);
	struct ib_uverbs_qp_dest d = {
		.flow_label = prm_get(qpc, ADS_FLOW_LABEL),
		.dlid = prm_get(qpc, ADS_RLID),
		.sgid_index = prm_get(qpc, ADS_SRC_ADDR_INDEX),
		.hop_limit = prm_get(qpc, ADS_HOP_LIMIT),
		.traffic_class = prm_get(qpc, ADS_TCLASS),
		.sl = prm_get(qpc, ADS_SL),
		.src_path_bits = prm_get(qpc, ADS_MLID),
		.static_rate = rate > STAT_RATE_OFFSET ? rate - STAT_RATE_OFFSET : 0,
		.is_global = prm_get(qpc, ADS_GRH) || (p && p->ethernet),
		.port_num = call_port(c, prm_get(qpc, ADS_VHCA_PORT_NUM)),
	};

	memcpy(d.dgid, qpc + ADS_RGID_RIP_AT, sizeof(d.dgid));
	return d;
}

/* All that verbs would have in its place */
static struct ib_uverbs_modify_qp attr_of(const struct call *c, const uint8_t *qpc)
{
	return (struct ib_uverbs_modify_qp){
		.dest = path_of(c, qpc),
		.qkey = prm_get(qpc, QPC_Q_KEY),
		.rq_psn = prm_get(qpc, QPC_NEXT_RCV_PSN),
		.sq_psn = prm_get(qpc, QPC_NEXT_SEND_PSN),
		.dest_qp_num = prm_get(qpc, QPC_REMOTE_QPN),
		.qp_access_flags = access_of(qpc),
		.pkey_index = prm_get(qpc, ADS_PKEY_INDEX),
		.path_mtu = prm_get(qpc, QPC_MTU),
		.max_rd_atomic = 1 << prm_get(qpc, QPC_LOG_SRA_MAX),
		.max_dest_rd_atomic = 1 << prm_get(qpc, QPC_LOG_RRA_MAX),
		.min_rnr_timer = prm_get(qpc, QPC_MIN_RNR_NAK),
		.port_num = call_port(c, prm_get(qpc, ADS_VHCA_PORT_NUM)),
		.timeout = prm_get(qpc, ADS_ACK_TIMEOUT),
		.retry_cnt = prm_get(qpc, QPC_RETRY_COUNT),
		.rnr_retry = prm_get(qpc, QPC_RNR_RETRY),
	};
}

/* Access flags are an option of a transition; here they are given all at once or not at all */
static uint32_t options(const struct mailboxes *m)
{
	const uint32_t access = QP_OPTPAR_RRE | QP_OPTPAR_RAE | QP_OPTPAR_RWE;

	return prm_get(m->in, QP_OPT_PARAM_MASK) & access ? IBV_QP_ACCESS_FLAGS : 0;
}

static int transit(struct call *c, struct mailboxes *m, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct qp *q = qp_to_modify(c, m);
	struct ib_uverbs_modify_qp a;

	if (!q)
		return EINVAL;
	if (q->attr.qp_state != from)
		return devx_refuse(m, STATUS_BAD_RES_STATE);
	a = attr_of(c, m->in + QPC_AT);
	a.qp_state = to;
	a.attr_mask = IBV_QP_STATE | qp_required(q, from, to) | (options(m) & qp_allowed(q, from, to));
	return qp_modify(q, &a) ? devx_refuse(m, STATUS_BAD_PARAM) : 0;
}

int qp_rst2init(struct call *c, struct mailboxes *m)
{
	return transit(c, m, IBV_QPS_RESET, IBV_QPS_INIT);
}

int qp_init2rtr(struct call *c, struct mailboxes *m)
{
	return transit(c, m, IBV_QPS_INIT, IBV_QPS_RTR);
}

int qp_rtr2rts(struct call *c, struct mailboxes *m)
{
	return transit(c, m, IBV_QPS_RTR, IBV_QPS_RTS);
}

static int change(struct qp *q, const uint8_t *in, uint64_t what)
{
	switch (what) {
	case QP_OPTPAR_DCI_STREAM:
		return qp_stream_reset(q, prm_get(in, QPC_DCI_STREAM_CHANNEL_ID));
	case QP_OPTPAR_QOS_QUEUE_GROUP_ID:
		return sched_attach(q, prm_get(in, QPC_QOS_QUEUE_GROUP_ID_REQUESTER));
	case QP_OPTPAR_UDP_SPORT:
		q->udp_sport = prm_get(in + QPC_AT, ADS_UDP_SPORT);
		return 0;
	default:
		return -1;
	}
}

/* It makes the QP wait after an error in a signature, or attaches it to a leaf. The other thing that it sets (MMO) every QP is able to here. */
int qp_init2init(struct call *c, struct mailboxes *m)
{
	struct qp *q = qp_to_modify(c, m);

	if (!q || q->attr.qp_state != IBV_QPS_INIT)
		return EINVAL;
	if (m->in_len >= QPC_AT + QPC_SIZE && prm_get(m->in, QP_OPT_PARAM_MASK) & QP_OPTPAR_DRAIN_SIGERR)
		q->drain_sigerr = prm_get(m->in + QPC_AT, QPC_DRAIN_SIGERR);
	if (m->in_len < QPC_EXT_SIZE ||
	    prm_get64(m->in, QP_OPT_PARAM_MASK_95_32) != QP_OPTPAR_QOS_QUEUE_GROUP_ID)
		return 0;
	return change(q, m->in, QP_OPTPAR_QOS_QUEUE_GROUP_ID) ? devx_refuse(m, STATUS_BAD_PARAM) : 0;
}

static int set_lag_port(struct qp *q, struct mailboxes *m)
{
	uint8_t port = prm_get(m->in + QPC_AT, QPC_LAG_TX_PORT_AFFINITY);

	if (!config.lag || !port || port > LAG_PORTS)
		return devx_refuse(m, STATUS_BAD_PARAM);
	q->lag_port = port;
	return 0;
}

/* One of: reset a stream of a DCI, change the port from which packets of RoCE v2 come, the leaf, the bonded port */
int qp_rts2rts(struct call *c, struct mailboxes *m)
{
	struct qp *q = qp_to_modify(c, m);

	if (!q || q->attr.qp_state != IBV_QPS_RTS)
		return EINVAL;
	if (prm_get(m->in, QP_OPT_PARAM_MASK) & QP_OPTPAR_LAG_TX_PORT_AFFINITY)
		return set_lag_port(q, m);
	return change(q, m->in, prm_get64(m->in, QP_OPT_PARAM_MASK_95_32)) ?
		       devx_refuse(m, STATUS_BAD_PARAM) :
		       0;
}

static int leave(struct call *c, struct mailboxes *m, enum ibv_qp_state to)
{
	struct ib_uverbs_modify_qp a = { .attr_mask = IBV_QP_STATE, .qp_state = to };
	struct qp *q = qp_to_modify(c, m);

	if (!q)
		return EINVAL;
	return qp_modify(q, &a) ? devx_refuse(m, STATUS_BAD_RES_STATE) : 0;
}

int qp_2err(struct call *c, struct mailboxes *m)
{
	return leave(c, m, IBV_QPS_ERR);
}

int qp_2rst(struct call *c, struct mailboxes *m)
{
	return leave(c, m, IBV_QPS_RESET);
}

static uint32_t state_of(const struct qp *q)
{
	switch (q->attr.qp_state) {
	case IBV_QPS_SQD:
		return QP_STATE_SQD;
	case IBV_QPS_SQE:
		return QP_STATE_SQER;
	case IBV_QPS_ERR:
		return QP_STATE_ERR;
	default:
		return q->attr.qp_state;
	}
}

static void put_path(uint8_t *qpc, const struct ib_uverbs_modify_qp *a)
{
	const struct ib_uverbs_qp_dest *d = &a->dest;

	prm_set(qpc, ADS_PKEY_INDEX, a->pkey_index);
	prm_set(qpc, ADS_GRH, d->is_global);
	prm_set(qpc, ADS_MLID, d->src_path_bits);
	prm_set(qpc, ADS_RLID, d->dlid);
	prm_set(qpc, ADS_ACK_TIMEOUT, a->timeout);
	prm_set(qpc, ADS_SRC_ADDR_INDEX, d->sgid_index);
	prm_set(qpc, ADS_STAT_RATE, d->static_rate ? d->static_rate + STAT_RATE_OFFSET : 0);
	prm_set(qpc, ADS_HOP_LIMIT, d->hop_limit);
	prm_set(qpc, ADS_TCLASS, d->traffic_class);
	prm_set(qpc, ADS_FLOW_LABEL, d->flow_label);
	prm_set(qpc, ADS_SL, d->sl);
	prm_set(qpc, ADS_VHCA_PORT_NUM, port_local(a->port_num));
	memcpy(qpc + ADS_RGID_RIP_AT, d->dgid, sizeof(d->dgid));
}

static void put_attr(uint8_t *qpc, const struct ib_uverbs_modify_qp *a)
{
	put_path(qpc, a);
	prm_set(qpc, QPC_MTU, a->path_mtu);
	prm_set(qpc, QPC_REMOTE_QPN, a->dest_qp_num);
	prm_set(qpc, QPC_LOG_SRA_MAX, a->max_rd_atomic ? __builtin_ctz(a->max_rd_atomic) : 0);
	prm_set(qpc, QPC_LOG_RRA_MAX, a->max_dest_rd_atomic ? __builtin_ctz(a->max_dest_rd_atomic) : 0);
	prm_set(qpc, QPC_RETRY_COUNT, a->retry_cnt);
	prm_set(qpc, QPC_RNR_RETRY, a->rnr_retry);
	prm_set(qpc, QPC_NEXT_SEND_PSN, a->sq_psn);
	prm_set(qpc, QPC_NEXT_RCV_PSN, a->rq_psn);
	prm_set(qpc, QPC_MIN_RNR_NAK, a->min_rnr_timer);
	prm_set(qpc, QPC_Q_KEY, a->qkey);
	prm_set(qpc, QPC_RRE, !!(a->qp_access_flags & IBV_ACCESS_REMOTE_READ));
	prm_set(qpc, QPC_RWE, !!(a->qp_access_flags & IBV_ACCESS_REMOTE_WRITE));
	prm_set(qpc, QPC_RAE, !!(a->qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC));
}

static void put_users(uint8_t *qpc, const struct qp *q)
{
	prm_set(qpc, QPC_PD, q->o.pd ? q->o.pd->number : 0);
	prm_set(qpc, QPC_USER_INDEX, q->uidx);
	prm_set(qpc, QPC_CQN_SND, q->send_cq ? q->send_cq->o.number : 0);
	prm_set(qpc, QPC_CQN_RCV, q->recv_cq ? q->recv_cq->o.number : 0);
	prm_set(qpc, QPC_RQ_TYPE, q->srq ? RQ_SRQ_RMP_XRQ : RQ_REGULAR);
	prm_set(qpc, QPC_SRQN_RMPN_XRQN, q->srq ? q->srq->o.number : 0);
}

int qp_query_by_mailbox(struct call *c, struct mailboxes *m)
{
	const struct qp *q = qp_meant(c, m, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE);
	uint8_t *qpc = m->out + QPC_AT;

	if (!q || m->out_len < QPC_AT + QPC_SIZE)
		return EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(transports); i++)
		if (transports[i].type == q->type && transports[i].dci == q->dci)
			prm_set(qpc, QPC_ST, transports[i].st);
	prm_set(qpc, QPC_STATE, state_of(q));
	prm_set(qpc, QPC_PM_STATE, PM_STATE_MIGRATED);
	put_users(qpc, q);
	put_attr(qpc, &q->attr);
	prm_set(qpc, ADS_UDP_SPORT, q->udp_sport);
	prm_set(qpc, QPC_LAG_TX_PORT_AFFINITY, q->lag_port);
	prm_set(qpc, QPC_HW_SQ_WQEBB_COUNTER, q->sq.ci);
	prm_set(qpc, QPC_HW_RQ_COUNTER, q->rq.ci);
	return 0;
}
