/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The responder: from the QP number in a packet to what is done there. */
#include <infiniband/mlx5dv.h>

#include "datagram.h"
#include "limits.h"
#include "opcode.h"
#include "qp.h"
#include "request.h"

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
	if (r->p.service == SERVICE_UC || r->to->dct)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(responder_events); i++)
		if (responder_events[i].syndrome == syndrome)
			qp_error(r->to, responder_events[i].event);
}

static int respond_connected(struct request *r, const struct opcode *op)
{
	int rc;

	r->to = find_responder(&r->p);
	if (!r->to)
		return STALL_PEER;
	rc = find_srq(r) ? op->respond(r) : MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
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
