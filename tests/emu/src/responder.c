/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The responder: from the QP number in a packet to what is done there. */
#include <string.h>
#include <infiniband/mlx5dv.h>

#include "datagram.h"
#include "limits.h"
#include "opcode.h"
#include "qp.h"
#include "request.h"
#include "xrcd.h"

/* The QP that a connected request is for, if there is one that answers */
static struct qp *find_responder(const struct packet *p)
{
	struct qp *to = qp_by_number(p->dest_qpn);

	if (!to || to->dci || !qp_is_receiving(to) || packet_service(to) != p->service)
		return NULL;
	if (to->dct)
		return to->dc_key == p->dc_key ? to : NULL;
	return to->attr.dest_qp_num == p->src_qpn ? to : NULL;
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

static bool is_duplicate(const struct packet *p, const struct response *last)
{
	return p->again && last->done && p->src_qpn == last->src_qpn && p->psn == last->psn &&
	       p->opcode == last->opcode;
}

static void remember(const struct request *r)
{
	struct response *last = &r->to->last;

	*last = (struct response){
		.src_qpn = r->p.src_qpn, .psn = r->p.psn, .opcode = r->p.opcode, .done = true
	};
	if (r->response_len == sizeof(last->old))
		memcpy(&last->old, r->data, sizeof(last->old));
}

/* Only a read is done again; an atomic has its result kept, and of the rest there is none */
static int repeat(struct request *r, const struct opcode *op)
{
	const struct response *last = &r->to->last;

	if (!op->answered)
		return 0;
	if (!(op->segments & SEGMENT_ATOMIC))
		return op->respond(r);
	memcpy(r->data, &last->old, sizeof(last->old));
	r->response_len = sizeof(last->old);
	return 0;
}

/* How far a PSN is ahead of the one that is expected; negative: it was there before */
static int32_t psn_ahead(const struct packet *p, const struct qp *q)
{
	uint32_t expected = q->attr.rq_psn + q->expected_psn;

	return (int32_t)((p->first_psn + p->psn - expected) << 8) >> 8;
}

/* Unconnected, or without acknowledgements, any message may be the first */
static bool has_sequence(const struct packet *p)
{
	return p->service == SERVICE_RC || p->service == SERVICE_XRC;
}

/* What was cut at another MTU does not fit together */
static bool fits(const struct packet *p, const struct qp *q)
{
	uint32_t mtu = packet_mtu(q);

	return p->mtu == mtu || p->len <= (p->mtu < mtu ? p->mtu : mtu);
}

/* At the QP that was found. A PSN too high is refused until the requester has enough of it */
static int execute(struct request *r, const struct opcode *op)
{
	int32_t ahead = has_sequence(&r->p) ? psn_ahead(&r->p, r->to) : 0;
	int rc;

	if (!find_srq(r) || !fits(&r->p, r->to))
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	if (is_duplicate(&r->p, &r->to->last))
		return repeat(r, op);
	if (ahead)
		return ahead > 0 || op->answered ? STALL_PEER : 0;
	rc = op->respond(r);
	if (rc)
		return rc;
	remember(r);
	r->to->expected_psn += packet_count(&r->p);
	return 0;
}

static int respond_connected(struct request *r, const struct opcode *op)
{
	int rc;

	r->to = find_responder(&r->p);
	if (!r->to)
		return STALL_PEER;
	rc = execute(r, op);
	r->rnr_timer = r->to->attr.min_rnr_timer;
	responder_error(r, rc);
	return rc;
}

int respond(struct request *r)
{
	const struct opcode *op = opcode_find(r->p.opcode);

	r->recv = (struct completion){
		.opcode = op->recv_opcode,
		.src_qpn = r->p.src_qpn,
		.slid = r->p.slid,
		.byte_count = r->p.len,
		.imm = r->p.imm,
		.solicited = r->p.solicited,
	};
	if (r->p.service != SERVICE_UD)
		return respond_connected(r, op);
	datagram_deliver(r);
	return 0;
}
