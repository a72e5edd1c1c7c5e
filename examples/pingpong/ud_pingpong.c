/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Datagrams back and forth, as ibv_ud_pingpong does: before each message that is received lie 40 bytes for the GRH. */

#include "pingpong.h"

#define GRH 40

static struct vx_qp *qp;
static struct vx_ah *ah;

static struct vx_qp *to_peer(struct end *end, uint32_t number, struct ibv_send_wr *wr)
{
	(void)number;
	wr->wr.ud.ah = vx_ah_raw(ah);
	wr->wr.ud.remote_qpn = end->paths[0].dqpn;
	wr->wr.ud.remote_qkey = QKEY;
	return qp;
}

int main(int argc, char **argv)
{
	struct options options = parse_options(argc, argv);
	struct end end;

	if (options.size > 1024)
		options.size = 1024; /* which every port sends in one packet */
	end = open_end(options, GRH, 0);
	must(vx_qp_create(end.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = end.cq, .recv_cq = end.cq }, &qp));
	must(vx_qp_to_init(qp, &(struct vx_path){ .qkey = QKEY }));
	must(vx_pool_post_recv(end.pool, qp, DEPTH));
	connect_end(&end, &qp, 1, (struct told){ 0 }, 0);
	must(vx_pd_ah(end.pd, &end.paths[0], &ah));
	play(&end, qp, GRH, to_peer, "ud_pingpong");
	must(vx_close(end.ctx));
	return 0;
}
