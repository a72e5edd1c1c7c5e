/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The responder: from the QP number in a packet to what is done there. */
#include "packets/responder.h"

#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>

#include "engine/opcode.h"
#include "faults/tap.h"
#include "objects/qp.h"
#include "objects/xrcd.h"
#include "packets/datagram.h"
#include "packets/request.h"

void responder_reset(struct qp *q)
{
	struct initiator *i;

	q->responder = (struct responder){ 0 };
	while ((i = LIST_FIRST(&q->initiators))) {
		LIST_REMOVE(i, link);
		free(i);
	}
}

/* By its number and address: another process may have a QP of that number too */
static bool is_peer(const struct qp *q, const struct packet *p)
{
	const struct ib_uverbs_qp_dest *dest = &q->attr.dest;

	if (q->attr.dest_qp_num != p->src_qpn)
		return false;
	return p->ethernet ? !memcmp(dest->dgid, p->sgid, GID_SIZE) : dest->dlid == p->slid;
}

/* Why a QP does not answer a connected request, or NULL */
static const char *why_unanswered(const struct qp *to, const struct packet *p)
{
	if (!to)
		return "no QP has this number";
	if (to->dci || packet_service(to) != p->service)
		return "that QP is of another type";
	if (!qp_is_receiving(to))
		return "that QP is neither in RTR nor in a state behind it";
	if (!packet_has_pkey(p, to))
		return "that QP has another P_Key";
	if (to->dct)
		return to->dc_key == p->dc_key ? NULL : "that DCT has another key";
	return is_peer(to, p) ? NULL : "that QP is connected to another number or address";
}

/* The QP that a connected request is for, if there is one that answers */
static struct qp *find_qp(const struct packet *p)
{
	struct qp *to = packet_qp(p);
	const char *why = why_unanswered(to, p);

	if (!why)
		return to;
	tap_dropped(p, why);
	return NULL;
}

static bool is_from(const struct initiator *i, const struct packet *p)
{
	return i->qpn == p->src_qpn && i->lid == p->slid && !memcmp(i->gid, p->sgid, GID_SIZE);
}

/* NULL without memory */
static struct responder *find_initiator(struct qp *dct, const struct packet *p)
{
	struct initiator *i;

	LIST_FOREACH(i, &dct->initiators, link)
	{
		if (is_from(i, p))
			return &i->responder;
	}
	i = calloc(1, sizeof(*i));
	if (!i)
		return NULL;
	i->qpn = p->src_qpn;
	i->lid = p->slid;
	memcpy(i->gid, p->sgid, GID_SIZE);
	LIST_INSERT_HEAD(&dct->initiators, i, link);
	return &i->responder;
}

/* An XRC request names the SRQ itself */
static bool find_srq(struct request *r)
{
	if (r->to->type != IBV_QPT_XRC_RECV) {
		r->srq = r->to->srq;
		return true;
	}
	r->srq = object_get(SRQ, r->p.xrc_srqn);
	return r->srq && xrcd_is_same(r->srq->xrcd, r->to->xrcd);
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
	if (r->p.service == SERVICE_UC || r->to->dct)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(responder_events); i++)
		if (responder_events[i].syndrome == syndrome)
			qp_error(r->to, responder_events[i].event);
}

static bool is_atomic(const struct opcode *op)
{
	return op->segments & SEGMENT_ATOMIC;
}

static void remember(const struct request *r)
{
	struct atomic_result *a = &r->from->atomics[r->from->natomics++ % MAX_RD_ATOMIC];

	*a = (struct atomic_result){ .done = true, .number = r->from->expected };
	memcpy(&a->old, r->room, sizeof(a->old));
}

/* What it did is not done again: the result of long ago is no more */
static int replay(struct request *r, int32_t ahead)
{
	uint32_t number = r->from->expected + ahead;

	for (struct atomic_result *a = r->from->atomics; a < r->from->atomics + MAX_RD_ATOMIC; a++)
		if (a->done && a->number == number)
			return request_response(r, &a->old, sizeof(a->old));
	tap_out_of_sequence(&r->p, ahead);
	return ANSWER_DROPPED;
}

/* It was there before. Only a read is done again */
static int repeat(struct request *r, const struct opcode *op, int32_t ahead)
{
	if (is_atomic(op))
		return replay(r, ahead);
	if (op->answered)
		return op->respond(r);
	tap_out_of_sequence(&r->p, ahead);
	if (!packet_is_last(&r->p))
		return ANSWER_NONE;
	r->answer.psn = r->p.psn - ahead - 1; /* all that has arrived */
	return 0;
}

/* How far a packet is ahead of the one that is expected; negative: it was there before */
static int32_t packets_ahead(const struct request *r)
{
	uint32_t expected = r->to->attr.rq_psn + r->from->expected;

	return (int32_t)((r->p.first_psn + r->p.psn - expected) << 8) >> 8;
}

/* Without acknowledgements, or unconnected, a message may come after any other */
static bool begins_anew(const struct packet *p, int32_t ahead)
{
	if (!packet_is_first(p))
		return false;
	return p->service == SERVICE_UC || (p->service == SERVICE_DC && (!p->again || ahead > 0));
}

/* It is not the one that is expected; what comes after a gap is said once */
static int out_of_sequence(struct request *r, const struct opcode *op, int32_t ahead)
{
	if (r->p.service == SERVICE_UC) {
		tap_dropped(&r->p, "over UC, a message that lacks a packet is lost");
		r->from->open = false; /* the whole message is lost */
		return ANSWER_NONE;
	}
	if (ahead < 0)
		return repeat(r, op, ahead);
	tap_out_of_sequence(&r->p, ahead);
	if (r->from->complained)
		return ANSWER_DROPPED;
	r->from->complained = true;
	r->answer.psn = r->p.psn - ahead;
	return ANSWER_SEQUENCE;
}

/* What was cut at another MTU does not fit together */
static bool has_right_size(const struct packet *p, const struct qp *q)
{
	if (opcode_find(p->opcode)->answered)
		return true;
	return packet_is_last(p) ? p->size <= packet_mtu(q) : p->size == packet_mtu(q);
}

/* How many numbers it takes: a request for data, those of the response */
static uint32_t numbers(const struct request *r, const struct opcode *op)
{
	return op->answered ? packet_count(r->p.size, packet_mtu(r->to)) : 1;
}

/* The packet that is expected */
static int execute(struct request *r, const struct opcode *op)
{
	int rc;

	r->from->complained = false;
	if (!r->from->open && !packet_is_first(&r->p))
		return r->p.service == SERVICE_UC ? ANSWER_NONE : MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	if (!find_srq(r) || !has_right_size(&r->p, r->to))
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	rc = op->respond(r);
	if (rc) {
		r->from->complained = rc == ANSWER_RNR; /* of those after it, nothing is said */
		return rc;
	}
	if (is_atomic(op))
		remember(r);
	r->from->open = !packet_is_last(&r->p);
	r->from->expected += numbers(r, op);
	return r->from->open ? ANSWER_NONE : 0;
}

static int take_connected(struct request *r, const struct opcode *op)
{
	int32_t ahead = packets_ahead(r);

	if (ahead && begins_anew(&r->p, ahead)) {
		r->from->expected += ahead;
		r->from->open = false;
		ahead = 0;
	}
	return ahead ? out_of_sequence(r, op, ahead) : execute(r, op);
}

static int respond_connected(struct request *r, const struct opcode *op)
{
	int rc;

	r->to = find_qp(&r->p);
	if (!r->to)
		return ANSWER_DROPPED;
	r->from = r->to->dct ? find_initiator(r->to, &r->p) : &r->to->responder;
	if (!r->from)
		return ANSWER_DROPPED;
	r->answer.mtu = packet_mtu(r->to);
	r->answer.rnr_timer = r->to->attr.min_rnr_timer;
	rc = take_connected(r, op);
	responder_error(r, rc);
	return r->p.service == SERVICE_UC ? ANSWER_NONE : rc;
}

void request_unanswered(struct request *r)
{
	r->answer = (struct answer){ .result = ANSWER_DROPPED, .psn = r->p.psn, .mtu = r->p.mtu };
}

void respond(struct request *r)
{
	const struct opcode *op = opcode_find(r->p.opcode);

	r->answer = (struct answer){ .result = ANSWER_NONE, .psn = r->p.psn, .mtu = r->p.mtu };
	r->recv = (struct completion){
		.opcode = op->recv_opcode,
		.src_qpn = r->p.src_qpn,
		.slid = r->p.slid,
		.byte_count = r->p.len,
		.imm = r->p.imm,
		.solicited = r->p.solicited,
	};
	if (r->p.service == SERVICE_UD)
		datagram_deliver(r);
	else
		r->answer.result = respond_connected(r, op);
}
