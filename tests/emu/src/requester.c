/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "requester.h"

#include <stdlib.h>

#include "fault.h"
#include "opcode.h"
#include "qp.h"
#include "request.h"
#include "tap.h"
#include "trace.h"
#include "transfer.h"
#include "wire.h"
#include "wqe.h"

static int ask(struct qp *q, struct request *r)
{
	int rc = respond(r);

	return wire_back(q, &r->p, &(struct answer){ rc, r->response_len, r->rnr_timer });
}

static int scatter_response(struct qp *q, struct send_wqe *w, const uint8_t *data, uint32_t len)
{
	if (!len)
		return 0;
	w->len = len;
	return wqe_scatter_response(q, w, data, len);
}

/* It is with another process: see whether the answer is there */
static int resume(struct qp *q, struct send_wqe *w)
{
	int rc = transfer_poll(q);

	if (rc == STALL_AWAY)
		return rc;
	rc = wire_back(q, &q->transfer->out.h.p,
		       &(struct answer){ rc, q->transfer->in.len, q->transfer->rnr_timer });
	if (rc == STALL_RNR)
		q->retry.rnr_timer = q->transfer->rnr_timer;
	if (!rc)
		rc = wqe_parse(q, w);
	if (!rc)
		rc = scatter_response(q, w, q->transfer->in.data, q->transfer->in.len);
	transfer_drop(q);
	return rc;
}

/* The data go with it */
static int send_away(struct qp *q, struct send_wqe *w, const struct packet *p)
{
	uint8_t *data = w->data;

	w->data = NULL;
	return transfer_start(q, p, data) ? MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR : resume(q, w);
}

/* A request for another QP, and what comes back */
static int request(struct qp *q, struct send_wqe *w)
{
	struct request r = { .data = w->data };
	int rc;

	packet_fill(&r.p, q, w);
	r.p.again = q->retry.lost;
	q->retry.packets = packet_count(&r.p);
	rc = wire_cross(q, &r.p, r.data);
	if (!rc && packet_is_for_group(&r.p))
		transfer_to_group(&r.p, r.data);
	else if (!rc && !packet_port(&r.p))
		return send_away(q, w, &r.p);
	if (!rc)
		rc = ask(q, &r);
	if (rc == STALL_RNR)
		q->retry.rnr_timer = r.rnr_timer;
	return rc ? rc : scatter_response(q, w, r.data, r.response_len);
}

static bool is_allowed(const struct qp *q, const struct opcode *op)
{
	if (q->type == IBV_QPT_UD || q->type == IBV_QPT_RAW_PACKET)
		return op->datagram;
	return q->type != IBV_QPT_UC || !op->answered;
}

static int execute(struct qp *q, struct send_wqe *w)
{
	const struct opcode *op = opcode_find(w->opcode);
	int rc;

	if (!op)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (op->local)
		return op->local(q, w);
	if (!is_allowed(q, op))
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (q->type == IBV_QPT_RAW_PACKET)
		return 0; /* on its wire is nobody */
	rc = wqe_parse(q, w);
	if (!rc)
		rc = wqe_gather(q, w);
	return rc ? rc : request(q, w);
}

/* What becomes of a stall: over an unreliable service the packet is lost */
static int stall(struct qp *q, int why)
{
	if (why == STALL_DELAY || why == STALL_AWAY)
		return why;
	return qp_is_reliable(q) ? retry_later(q, why) : 0;
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

/* The request is looked at for the first time: an occasion for a fault */
static void begin(struct qp *q)
{
	const struct fault *f = q->retry.begun ? NULL : fault_meet(FAULT_SEND, q);

	q->retry.begun = true;
	if (f)
		q->retry.forced = f->value;
}

static int attempt(struct qp *q, struct send_wqe *w)
{
	int rc;

	begin(q);
	if (q->retry.forced)
		return q->retry.forced;
	if (retry_is_used_up(q))
		return MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR;
	rc = q->transfer ? resume(q, w) : execute(q, w);
	if (rc < 0)
		rc = stall(q, rc);
	/* Over an unreliable service it cannot know */
	return rc < 0 || qp_is_reliable(q) || is_local(rc) ? rc : 0;
}

/* As a syndrome or a stall, as the requester gets to know it */
static int outcome(struct qp *q, struct send_wqe *w)
{
	int rc = must_flush(q, w) ? MLX5_CQE_SYNDROME_WR_FLUSH_ERR : attempt(q, w);

	if (rc >= 0) {
		q->psn += q->retry.packets;
		q->retry = (struct retry){ 0 };
		transfer_drop(q);
	}
	return rc;
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

	if (syndrome && q->attr.qp_state == IBV_QPS_RTS)
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

	if (!at || retry_is_waiting(q))
		return false;
	wqe_load(&w, &q->sq, at);
	if (!q->retry.begun)
		tap_wqe(q, &w);
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
