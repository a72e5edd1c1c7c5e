/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Messages back and forth, as ibv_xsrq_pingpong does: one QP sends, another receives, and each message names the SRQ that it is for. */

#include "pingpong.h"

static struct vx_qp *sender;

static struct vx_qp *to_peer(struct end *end, uint32_t number, struct ibv_send_wr *wr)
{
	(void)number;
	wr->qp_type.xrc.remote_srqn = be32toh(end->peer.srqn);
	return sender;
}

int main(int argc, char **argv)
{
	struct end end = open_end(parse_options(argc, argv), 0, 0);
	const bool is_client = end.options.host;
	struct told mine = { 0 };
	struct vx_qp *receiver;
	uint32_t srqn;
	struct vx_xrcd *xrcd;

	must(vx_xrcd_create(end.ctx, NULL, &xrcd));
	must(vx_srq_create(end.pd, &(struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = xrcd, .cq = end.cq,
							  .attr.max_wr = DEPTH }, &end.srq));
	must(vx_srq_get_num(end.srq, &srqn));
	mine.srqn = htobe32(srqn);
	must(vx_qp_create(end.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd }, &receiver));
	must(vx_qp_create(end.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND, .send_cq = end.cq }, &sender));
	must(vx_pool_post_srq_recv(end.pool, end.srq, DEPTH));
	connect_end(&end, is_client ? (struct vx_qp *[]){ sender, receiver } : (struct vx_qp *[]){ receiver, sender }, 2, mine, 0);
	play(&end, NULL, 0, to_peer, "xrc_pingpong");
	must(vx_close(end.ctx));
	return 0;
}
