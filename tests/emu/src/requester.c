/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "requester.h"

#include <endian.h>
#include <stdlib.h>

#include "clock.h"
#include "datagram.h"
#include "limits.h"
#include "opcode.h"
#include "qp.h"
#include "trace.h"
#include "wqe.h"

/* How long retries go on; 0 and 7 are for ever */
#define TRANSPORT_RETRY (50 * NS_PER_MS)
#define RNR_RETRY (2 * NS_PER_MS) /* each */
#define RNR_RETRY_FOR_EVER 7
#define TIMEOUT_FOR_EVER 0

#define NUMBER_MASK 0xffffff

/* The QP at the other end, if there is one that answers */
static struct qp *find_responder(const struct qp *q, const struct send_wqe *w)
{
	uint32_t number = q->dci ? be32toh(w->av->dqp_dct) & NUMBER_MASK : q->attr.dest_qp_num;
	struct qp *to = qp_by_number(number);

	if (!to || !qp_is_receiving(to) || q->dci != to->dct)
		return NULL;
	if (to->dct && to->dc_key != be64toh(w->av->key.dc_key))
		return NULL;
	return to;
}

/* An XRC request names the SRQ itself */
static bool find_srq(struct request *r)
{
	if (r->to->type != IBV_QPT_XRC_RECV) {
		r->srq = r->to->srq;
		return true;
	}
	r->srq = object_get(SRQ, r->wqe->xrc_srqn);
	return r->srq;
}

static const struct {
	int syndrome, event;
} responder_events[] = {
	{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
};

/* What the request has done to the responder */
static void responder_error(const struct request *r, int syndrome)
{
	if (!qp_is_reliable(r->from) || r->to->dct)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(responder_events); i++)
		if (responder_events[i].syndrome == syndrome)
			qp_error(r->to, responder_events[i].event);
}

static int send_connected(struct request *r, const struct opcode *op)
{
	int rc;

	r->to = find_responder(r->from, r->wqe);
	if (!r->to)
		return STALL_PEER;
	rc = find_srq(r) ? op->respond(r) : MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	responder_error(r, rc);
	return rc;
}

static int send_datagram(struct request *r, const struct opcode *op)
{
	if (!op->datagram)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	datagram_send(r);
	return 0;
}

static int execute(struct qp *q, struct send_wqe *w)
{
	const struct opcode *op = opcode_find(w->opcode);
	struct request r = { .from = q, .wqe = w };
	int rc;

	if (!op)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (op->local)
		return op->local(q, w);
	rc = wqe_parse(q, w);
	if (!rc)
		rc = wqe_gather(q, w);
	if (rc)
		return rc;
	r.recv = (struct completion){
		.opcode = op->recv_opcode,
		.src_qpn = q->qpn,
		.byte_count = w->len,
		.imm = op->has_imm ? w->ctrl->imm : 0,
		.solicited = w->ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED,
	};
	return q->type == IBV_QPT_UD ? send_datagram(&r, op) : send_connected(&r, op);
}

/* Turn a stall into a syndrome once the retries would be used up */
static int retry(struct qp *q, int stall)
{
	bool rnr = stall == STALL_RNR;
	uint64_t now = clock_now(), limit;

	if (!qp_is_reliable(q))
		return 0; /* lost */
	if (!q->stalled_since)
		q->stalled_since = now;
	if (rnr ? q->attr.rnr_retry == RNR_RETRY_FOR_EVER : q->attr.timeout == TIMEOUT_FOR_EVER)
		return stall;
	limit = rnr ? q->attr.rnr_retry * RNR_RETRY : TRANSPORT_RETRY;
	if (now - q->stalled_since < limit)
		return stall;
	return rnr ? MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR : MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR;
}

/* Syndromes that do not come from the other end */
static bool is_local(int syndrome)
{
	switch (syndrome) {
	case MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR:
	case MLX5_CQE_SYNDROME_LOCAL_PROT_ERR:
	case MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR:
	case MLX5_CQE_SYNDROME_MW_BIND_ERR:
	case MLX5_CQE_SYNDROME_WR_FLUSH_ERR:
		return true;
	default:
		return false;
	}
}

static bool must_flush(const struct qp *q, const struct send_wqe *w)
{
	return q->attr.qp_state == IBV_QPS_ERR || q->attr.qp_state == IBV_QPS_SQE ||
	       qp_stream_stopped(q, w->stream);
}

/* As a syndrome or a stall, as the requester gets to know it */
static int outcome(struct qp *q, struct send_wqe *w)
{
	int rc = must_flush(q, w) ? MLX5_CQE_SYNDROME_WR_FLUSH_ERR : execute(q, w);

	if (rc < 0)
		rc = retry(q, rc);
	if (rc < 0)
		return rc;
	q->stalled_since = 0;
	/* Over an unreliable service it cannot know */
	return qp_is_reliable(q) || is_local(rc) ? rc : 0;
}

static void requester_error(struct qp *q, const struct send_wqe *w)
{
	if (!qp_stream_error(q, w->stream))
		return;
	if (q->type == IBV_QPT_UD || q->type == IBV_QPT_UC)
		q->attr.qp_state = IBV_QPS_SQE;
	else
		qp_error(q, NO_EVENT);
}

static void complete(struct qp *q, const struct send_wqe *w, int syndrome)
{
	struct completion c = {
		.opcode = syndrome ? MLX5_CQE_REQ_ERR : MLX5_CQE_REQ,
		.uidx = q->uidx,
		.wqe_opcode = w->opcode,
		.wqe_counter = w->counter,
		.byte_count = syndrome ? 0 : w->len,
		.syndrome = syndrome,
	};

	if (syndrome && syndrome != MLX5_CQE_SYNDROME_WR_FLUSH_ERR)
		requester_error(q, w);
	if (syndrome || q->sig_all || w->ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE)
		cq_push(q->send_cq, q->qpn, &c);
}

bool requester_step(struct qp *q)
{
	const uint8_t *at = work_queue_next(&q->sq);
	const struct opcode *op;
	struct send_wqe w;
	int rc;

	if (!at)
		return false;
	wqe_load(&w, &q->sq, at);
	rc = outcome(q, &w);
	if (rc >= 0) {
		op = opcode_find(w.opcode);
		TRACE("qp %x %s (%02x) counter %u ds %d len %u syndrome %02x", q->qpn,
		      op ? op->name : "unknown", w.opcode, w.counter, w.ds, w.len, rc);
		q->sq.ci += w.wqebbs;
		complete(q, &w, rc);
	}
	free(w.data);
	return rc >= 0;
}
