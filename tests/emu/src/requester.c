/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "requester.h"

#include <stdlib.h>

#include "clock.h"
#include "opcode.h"
#include "qp.h"
#include "request.h"
#include "trace.h"
#include "wqe.h"

/* How long retries go on; 0 and 7 are for ever */
#define TRANSPORT_RETRY (50 * NS_PER_MS)
#define RNR_RETRY (2 * NS_PER_MS) /* each */
#define RNR_RETRY_FOR_EVER 7
#define TIMEOUT_FOR_EVER 0

/* A request for another QP, and what comes back */
static int request(struct qp *q, struct send_wqe *w)
{
	struct request r = { .data = w->data };
	int rc;

	packet_fill(&r.p, q, w);
	rc = respond(&r);
	if (rc || !r.response_len)
		return rc;
	w->len = r.response_len;
	return wqe_scatter_response(q, w, r.data, r.response_len);
}

static int execute(struct qp *q, struct send_wqe *w)
{
	const struct opcode *op = opcode_find(w->opcode);
	int rc;

	if (!op)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (op->local)
		return op->local(q, w);
	if (q->type == IBV_QPT_UD && !op->datagram)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	rc = wqe_parse(q, w);
	if (!rc)
		rc = wqe_gather(q, w);
	return rc ? rc : request(q, w);
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
