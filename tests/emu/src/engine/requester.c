/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/requester.h"

#include "calls/async.h"
#include "engine/opcode.h"
#include "engine/window.h"
#include "faults/fault.h"
#include "faults/tap.h"
#include "objects/qp.h"
#include "objects/sched.h"
#include "packets/steer.h"
#include "packets/transmit.h"
#include "trace.h"

static bool is_allowed(const struct qp *q, const struct opcode *op)
{
	if (q->type == IBV_QPT_UD || q->type == IBV_QPT_RAW_PACKET)
		return op->datagram;
	return q->type != IBV_QPT_UC || !op->answered;
}

/* To another process, data go without a copy of ours, if they can */
static bool goes_from_memory(const struct qp *q, const struct flight *f)
{
	struct iovec pieces[MAX_SEGMENTS];

	return !packet_is_here(&f->p) && wqe_pieces(q, &f->wqe, 0, f->wqe.len, pieces) >= 0;
}

/* Make packets of it */
static int describe(struct qp *q, struct flight *f)
{
	int rc = wqe_parse(q, &f->wqe);

	if (rc)
		return rc;
	packet_fill(&f->p, q, &f->wqe);
	if (!goes_from_memory(q, f))
		rc = wqe_gather(q, &f->wqe);
	if (rc)
		return rc;
	window_add(q, f);
	return 0;
}

/* It is on the wire at once, where nobody acknowledges it */
static int send_frame(struct qp *q, struct send_wqe *w)
{
	int rc = wqe_parse(q, w);

	if (!rc)
		rc = wqe_gather(q, w);
	if (!rc)
		steer_send(q, w->data, w->len);
	sched_count(q, w->len);
	return rc;
}

static bool has_stopped(const struct qp *q)
{
	return q->attr.qp_state == IBV_QPS_ERR || q->attr.qp_state == IBV_QPS_SQE;
}

/* As far as it goes without the other end: the syndrome that it has to end with, or 0 */
static int begin(struct qp *q, struct flight *f)
{
	const struct opcode *op = opcode_find(f->wqe.opcode);
	const struct fault *forced;

	if (has_stopped(q) || qp_stream_stopped(q, f->wqe.stream))
		return MLX5_CQE_SYNDROME_WR_FLUSH_ERR;
	forced = fault_meet(FAULT_SEND, q);
	if (forced)
		return forced->value;
	if (!op)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (op->local)
		return op->local(q, &f->wqe);
	if (!is_allowed(q, op))
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	return q->type == IBV_QPT_RAW_PACKET ? send_frame(q, &f->wqe) : describe(q, f);
}

/* A frame is on its way at once; of others, packets wait */
static bool may_take(const struct qp *q)
{
	return q->attr.qp_state != IBV_QPS_SQD && !(q->type == IBV_QPT_RAW_PACKET && sched_is_holding(q));
}

/*
 * A device reads the record when its doorbell rings. This one looks at it all the time, and after a reset it may tell
 * of WQEs that are no more: what has no segment was not posted.
 */
static const uint8_t *next_posted(struct qp *q)
{
	const struct mlx5_wqe_ctrl_seg *at = (const void *)work_queue_next(&q->sq);

	q->sq.was_reset = q->sq.was_reset && *(volatile __be32 *)q->sq.db == q->sq.old_db;
	return at && q->sq.was_reset && !(be32toh(at->qpn_ds) & (MAX_SEGMENTS - 1)) ? NULL : (const void *)at;
}

/* More than the queue has room for; after a reset, the record may tell of what was before */
static uint16_t overrun(const struct qp *q)
{
	uint16_t posted = q->sq.count && !q->sq.was_reset ? be32toh(*(volatile __be32 *)q->sq.db) - q->sq.ci : 0;

	return posted > q->sq.count ? posted : 0;
}

/*
 * libmlx5 counts requests, not blocks, and makes the queue for the largest of the operations that the QP was made for: posting
 * others, as ibv_bind_mw() does, it writes over what waits there. Hardware would do whatever it then finds.
 */
static void refuse_overrun(struct qp *q)
{
	struct completion c = { .opcode = MLX5_CQE_REQ_ERR,
				.uidx = q->uidx,
				.wqe_counter = q->sq.ci,
				.syndrome = MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR };

	if (q->attr.qp_state == IBV_QPS_ERR)
		return;
	complain("qp 0x%x: %u blocks wait in a send queue of %u, so that requests were overwritten. "
		 "Was it made for the operations that are posted (send_ops_flags)?",
		 q->qpn, overrun(q), q->sq.count);
	qp_error(q, IBV_EVENT_QP_FATAL);
	cq_push(q->send_cq, q->qpn, &c);
}

/* Take the next WQE, if it may be under way with those that are */
static bool take_posted(struct qp *q)
{
	const uint8_t *at = may_take(q) ? next_posted(q) : NULL;
	struct flight *f;

	if (at && overrun(q)) {
		refuse_overrun(q);
		return false;
	}
	f = at && window_admits(q, (const void *)at) ? window_take(q, at) : NULL;

	if (!f)
		return false;
	tap_wqe(q, &f->wqe);
	f->syndrome = begin(q, f);
	return true;
}

/* Likewise one that nobody posted */
static bool take_own(struct qp *q)
{
	uint8_t block[WQEBB] __attribute__((aligned(WQEBB)));
	struct rendezvous *r = q->attr.qp_state == IBV_QPS_SQD ? NULL : rendezvous_next(q, block);
	struct flight *f = r && window_admits(q, (void *)block) ? window_take_own(q, block) : NULL;

	if (!f)
		return false;
	f->rendezvous = r;
	rendezvous_take(q, r);
	tap_wqe(q, &f->wqe);
	f->syndrome = has_stopped(q) ? MLX5_CQE_SYNDROME_WR_FLUSH_ERR : describe(q, f);
	return true;
}

static void requester_error(struct qp *q, const struct send_wqe *w)
{
	if (!qp_stream_error(q, w->stream))
		return;
	if (q->type == IBV_QPT_UD || q->type == IBV_QPT_UC || q->type == IBV_QPT_RAW_PACKET)
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

	TRACE("qp %x %s (%02x) counter %u ds %d len %u syndrome %02x", q->qpn, opcode_name(w->opcode),
	      w->opcode, w->counter, w->ds, w->len, syndrome);
	if (syndrome && !has_stopped(q))
		requester_error(q, w);
	if (syndrome || q->sig_all || w->ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE)
		cq_push(q->send_cq, q->qpn, &c);
}

static void end(struct qp *q, struct flight *f)
{
	if (!f->rendezvous) {
		complete(q, &f->wqe, f->syndrome);
		return;
	}
	if (f->syndrome && !has_stopped(q))
		requester_error(q, &f->wqe);
	rendezvous_done(q, f->rendezvous, f->syndrome);
	f->rendezvous = NULL;
}

/* Those that are done, in order; after an error, all that are under way are flushed */
bool requester_complete(struct qp *q)
{
	bool any = false;
	struct flight *f;

	while ((f = TAILQ_FIRST(&q->window.flights)) && (has_stopped(q) || flight_is_done(f))) {
		if (!flight_is_done(f))
			f->syndrome = MLX5_CQE_SYNDROME_WR_FLUSH_ERR;
		end(q, f);
		window_drop(q, f);
		any = true;
	}
	if (any && TAILQ_EMPTY(&q->window.flights))
		q->retry.lost = false;
	return any;
}

static void drained(struct qp *q)
{
	if (!q->drain_event || !TAILQ_EMPTY(&q->window.flights))
		return;
	q->drain_event = false;
	async_object_event(&q->o, IBV_EVENT_SQ_DRAINED);
}

void requester_drain(struct qp *q)
{
	while (q->attr.qp_state >= IBV_QPS_RTS && requester_step(q))
		;
}

bool requester_step(struct qp *q)
{
	bool busy = take_own(q) || take_posted(q);

	if (!has_stopped(q))
		busy |= transmit(q);
	busy |= requester_complete(q);
	drained(q);
	return busy;
}
