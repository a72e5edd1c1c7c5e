/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The state machine of a QP: which attributes a transition needs and which it allows. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "bounds.h"
#include "calls/async.h"
#include "objects/qp.h"
#include "objects/qp_open.h"
#include "objects/qp_values.h"
#include "objects/signature.h"
#include "trace.h"

enum {
	RC = 1,
	UC = 2,
	UD = 4,
	XRC_SEND = 8,
	XRC_RECV = 16,
	RAW = 32,
	DCI = 64,
	DCT = 128
};

/* QP types that share a row */
#define CONNECTED (RC | UC | XRC_SEND | XRC_RECV)

#define TO_INIT (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_INIT_UD (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define TO_RTR (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RESPONDER (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTR_OPTIONS (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX)
#define TO_RTS \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)
#define RTS_OPTIONS (IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE)
#define RTS_OPTIONS_UD (IBV_QP_CUR_STATE | IBV_QP_QKEY)
#define SQD_OPTIONS_UC (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PATH_MIG_STATE)
#define SQD_OPTIONS (SQD_OPTIONS_UC | IBV_QP_PORT | IBV_QP_AV)
#define SQD_OPTIONS_UD (IBV_QP_PKEY_INDEX | IBV_QP_QKEY)

static const struct transition {
	uint8_t types, from, to;
	uint32_t required, optional;
} transitions[] = {
	{ CONNECTED, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT, 0 },
	{ UD, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT_UD, 0 },

	{ RAW, IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PORT, 0 },

	{ DCI, IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0 },
	{ DCT, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT, 0 },

	{ CONNECTED, IBV_QPS_INIT, IBV_QPS_INIT, 0, TO_INIT },
	{ UD, IBV_QPS_INIT, IBV_QPS_INIT, 0, TO_INIT_UD },
	{ RAW, IBV_QPS_INIT, IBV_QPS_INIT, 0, 0 },
	{ DCI, IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT },

	{ RC | XRC_RECV, IBV_QPS_INIT, IBV_QPS_RTR, TO_RTR | RESPONDER, RTR_OPTIONS },
	{ UC | XRC_SEND, IBV_QPS_INIT, IBV_QPS_RTR, TO_RTR, RTR_OPTIONS },
	{ UD, IBV_QPS_INIT, IBV_QPS_RTR, 0, SQD_OPTIONS_UD },

	{ RAW, IBV_QPS_INIT, IBV_QPS_RTR, 0, 0 },
	{ DCI, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX | IBV_QP_AV },
	{ DCT, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER, 0 },

	{ RC, IBV_QPS_RTR, IBV_QPS_RTS, TO_RTS, RTS_OPTIONS | IBV_QP_MIN_RNR_TIMER },
	{ XRC_SEND, IBV_QPS_RTR, IBV_QPS_RTS, TO_RTS, RTS_OPTIONS },
	{ XRC_RECV, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_TIMEOUT | IBV_QP_SQ_PSN,
	  RTS_OPTIONS | IBV_QP_MIN_RNR_TIMER },
	{ UC, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, RTS_OPTIONS },
	{ UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, RTS_OPTIONS_UD },

	{ RAW, IBV_QPS_RTR, IBV_QPS_RTS, 0, IBV_QP_RATE_LIMIT },
	{ DCI, IBV_QPS_RTR, IBV_QPS_RTS, TO_RTS, IBV_QP_MIN_RNR_TIMER },

	{ RC | XRC_RECV, IBV_QPS_RTS, IBV_QPS_RTS, 0, RTS_OPTIONS | IBV_QP_MIN_RNR_TIMER },
	{ UC | XRC_SEND, IBV_QPS_RTS, IBV_QPS_RTS, 0, RTS_OPTIONS },
	{ UD, IBV_QPS_RTS, IBV_QPS_RTS, 0, RTS_OPTIONS_UD },
	{ RAW, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_RATE_LIMIT },
	{ DCI, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_MIN_RNR_TIMER },

	{ CONNECTED | UD, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
	{ RAW, IBV_QPS_RTS, IBV_QPS_SQD, 0, 0 },

	{ RC, IBV_QPS_SQD, IBV_QPS_SQD, 0, SQD_OPTIONS | (TO_RTS & ~IBV_QP_SQ_PSN) | RESPONDER },
	{ XRC_SEND, IBV_QPS_SQD, IBV_QPS_SQD, 0, SQD_OPTIONS | (TO_RTS & ~IBV_QP_SQ_PSN) },
	{ XRC_RECV, IBV_QPS_SQD, IBV_QPS_SQD, 0, SQD_OPTIONS | IBV_QP_TIMEOUT | RESPONDER },
	{ UC, IBV_QPS_SQD, IBV_QPS_SQD, 0, SQD_OPTIONS_UC },
	{ UD, IBV_QPS_SQD, IBV_QPS_SQD, 0, SQD_OPTIONS_UD },
	{ RAW, IBV_QPS_SQD, IBV_QPS_SQD, 0, 0 },

	{ RC | XRC_RECV, IBV_QPS_SQD, IBV_QPS_RTS, 0, RTS_OPTIONS | IBV_QP_MIN_RNR_TIMER },
	{ UC | XRC_SEND, IBV_QPS_SQD, IBV_QPS_RTS, 0, RTS_OPTIONS },
	{ UD, IBV_QPS_SQD, IBV_QPS_RTS, 0, RTS_OPTIONS_UD },
	{ RAW, IBV_QPS_SQD, IBV_QPS_RTS, 0, 0 },

	{ UC, IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS },
	{ UD, IBV_QPS_SQE, IBV_QPS_RTS, 0, RTS_OPTIONS_UD },
	{ RAW, IBV_QPS_SQE, IBV_QPS_RTS, 0, 0 },
};

/* Where an attribute is kept in struct ib_uverbs_modify_qp */
#define AT(member) \
	offsetof(struct ib_uverbs_modify_qp, member), sizeof(((struct ib_uverbs_modify_qp *)0)->member)

static const struct {
	uint32_t mask;
	uint16_t offset, size;
} attributes[] = {
	{ IBV_QP_AV, AT(dest) },
	{ IBV_QP_ALT_PATH, AT(alt_dest) },
	{ IBV_QP_ALT_PATH, AT(alt_pkey_index) },
	{ IBV_QP_ALT_PATH, AT(alt_port_num) },
	{ IBV_QP_ALT_PATH, AT(alt_timeout) },
	{ IBV_QP_QKEY, AT(qkey) },
	{ IBV_QP_RQ_PSN, AT(rq_psn) },
	{ IBV_QP_SQ_PSN, AT(sq_psn) },
	{ IBV_QP_DEST_QPN, AT(dest_qp_num) },
	{ IBV_QP_ACCESS_FLAGS, AT(qp_access_flags) },
	{ IBV_QP_PKEY_INDEX, AT(pkey_index) },
	{ IBV_QP_PATH_MTU, AT(path_mtu) },
	{ IBV_QP_PATH_MIG_STATE, AT(path_mig_state) },
	{ IBV_QP_EN_SQD_ASYNC_NOTIFY, AT(en_sqd_async_notify) },
	{ IBV_QP_MAX_QP_RD_ATOMIC, AT(max_rd_atomic) },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, AT(max_dest_rd_atomic) },
	{ IBV_QP_MIN_RNR_TIMER, AT(min_rnr_timer) },
	{ IBV_QP_PORT, AT(port_num) },
	{ IBV_QP_TIMEOUT, AT(timeout) },
	{ IBV_QP_RETRY_CNT, AT(retry_cnt) },
	{ IBV_QP_RNR_RETRY, AT(rnr_retry) },
};

static uint8_t row_type(const struct qp *q)
{
	switch (q->type) {
	case IBV_QPT_RC:
		return RC;
	case IBV_QPT_UC:
		return UC;
	case IBV_QPT_UD:
		return UD;
	case IBV_QPT_RAW_PACKET:
		return RAW;
	case IBV_QPT_XRC_SEND:
		return XRC_SEND;
	case IBV_QPT_DRIVER:
		return q->dct ? DCT : DCI;
	default:
		return XRC_RECV;
	}
}

static const struct transition *find_transition(const struct qp *q, int from, int to)
{
	for (const struct transition *t = transitions; t < transitions + ARRAY_SIZE(transitions); t++)
		if (t->types & row_type(q) && t->from == from && t->to == to)
			return t;
	return NULL;
}

uint32_t qp_required(const struct qp *q, int from, int to)
{
	const struct transition *t = find_transition(q, from, to);

	return t ? t->required : 0;
}

uint32_t qp_allowed(const struct qp *q, int from, int to)
{
	const struct transition *t = find_transition(q, from, to);

	return t ? t->optional : 0;
}

static bool transition_ok(const struct qp *q, int from, int to, uint32_t mask)
{
	const struct transition *t;

	/* The kernel's driver has no default for the state of its own types. */
	if (!(mask & IBV_QP_STATE) && row_type(q) & (DCI | DCT))
		return false;
	mask &= ~(uint32_t)IBV_QP_STATE;
	if (!q->dct && (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET)))
		return !mask;
	t = find_transition(q, from, to);
	return t && (mask & t->required) == t->required && !(mask & ~(t->required | t->optional));
}

/* Half of an XRC connection has no use for the attributes of the other half: the kernel takes them out */
static uint32_t known_mask(const struct qp *q, uint32_t mask)
{
	if (row_type(q) == XRC_SEND)
		return mask & ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (row_type(q) == XRC_RECV)
		return mask & ~(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
	return mask;
}

static void store(struct ib_uverbs_modify_qp *to, const struct ib_uverbs_modify_qp *from)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (from->attr_mask & attributes[i].mask)
			memcpy((uint8_t *)to + attributes[i].offset,
			       (const uint8_t *)from + attributes[i].offset, attributes[i].size);
}

static void reset(struct qp *q)
{
	memset(&q->attr, 0, sizeof(q->attr));
	q->sq.ci = q->rq.ci = 0;
	q->sq.was_reset = q->sq.count;
	q->sq.old_db = q->sq.count ? *q->sq.db : 0;
	q->psn = 0;
	q->udp_sport = 0;
	q->drain_sigerr = false;
	q->retry = (struct retry){ 0 };
	window_clear(q);
	window_init(q);
	responder_reset(q);
	q->streams.stopped = 0;
}

void qp_error(struct qp *q, int event)
{
	if (q->attr.qp_state == IBV_QPS_ERR)
		return;
	q->attr.qp_state = IBV_QPS_ERR;
	if (event != NO_EVENT)
		qp_event(q, event);
	if (q->srq)
		qp_event(q, IBV_EVENT_QP_LAST_WQE_REACHED);
}

/* What was posted after that does not go out where the QP was asked to wait */
void qp_signature_error(struct qp *q, const struct sig_error *e)
{
	TRACE("key %x: signature %llx, not %llx", e->mkey, (unsigned long long)e->actual,
	      (unsigned long long)e->expected);
	if (!q)
		return;
	cq_push_sig_error(q->send_cq, e);
	if (q->drain_sigerr && q->attr.qp_state == IBV_QPS_RTS) {
		q->attr.qp_state = IBV_QPS_SQD;
		q->drain_event = true;
	}
}

/* As the kernel: the path that is changed in SQD takes the QP to its port, if it is not said which that is */
static void add_port(struct ib_uverbs_modify_qp *m)
{
	bool to_rtr = m->attr_mask & IBV_QP_STATE && m->qp_state == IBV_QPS_RTR;

	if (!(m->attr_mask & IBV_QP_AV) || m->attr_mask & IBV_QP_PORT || to_rtr)
		return;
	m->attr_mask |= IBV_QP_PORT;
	m->port_num = m->dest.port_num;
}

static int modify(struct qp *q, struct ib_uverbs_modify_qp *m)
{
	int from = q->attr.qp_state;
	int to = m->attr_mask & IBV_QP_STATE ? m->qp_state : from;
	int rc;

	if (m->attr_mask & IBV_QP_CUR_STATE && m->cur_qp_state != from)
		return EINVAL;
	rc = transition_ok(q, from, to, m->attr_mask) ? qp_values_check(q, m) : EINVAL;
	if (rc) {
		TRACE("qp %x: modify %d -> %d mask %x refused", q->qpn, from, to, m->attr_mask);
		return rc;
	}
	if (to == IBV_QPS_RESET)
		reset(q);
	else if (to == IBV_QPS_ERR)
		qp_error(q, NO_EVENT);
	qp_values_cut(m);
	store(&q->attr, m);
	q->attr.qp_state = to;
	q->drain_event = from == IBV_QPS_RTS && to == IBV_QPS_SQD && q->attr.en_sqd_async_notify;
	return 0;
}

int qp_modify(struct qp *q, const struct ib_uverbs_modify_qp *m)
{
	struct ib_uverbs_modify_qp known = *m;

	known.attr_mask = known_mask(q, m->attr_mask);
	add_port(&known);
	return modify(q, &known);
}
