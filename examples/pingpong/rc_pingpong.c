/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Messages back and forth over a reliable connection, as ibv_rc_pingpong does. */

#include "pingpong.h"

static struct vx_qp *qp;

static struct vx_qp *to_peer(struct end *end, uint32_t number, struct ibv_send_wr *wr)
{
	(void)end, (void)number, (void)wr;
	return qp;
}

int main(int argc, char **argv)
{
	struct end end = open_end(parse_options(argc, argv), 0, 0);

	must(vx_qp_create(end.pd, &(struct vx_qp_init){ .send_cq = end.cq, .recv_cq = end.cq }, &qp));
	must(vx_qp_to_init(qp, NULL));
	must(vx_pool_post_recv(end.pool, qp, DEPTH));
	connect_end(&end, &qp, 1, (struct told){ 0 }, 0);
	play(&end, qp, 0, to_peer, "rc_pingpong");
	must(vx_close(end.ctx));
	return 0;
}
