/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Messages back and forth over many connections, as ibv_srq_pingpong does: all of them receive by one SRQ. */

#include "pingpong.h"

static struct vx_qp *qps[MOST_QPS];

static struct vx_qp *to_peer(struct end *end, uint32_t number, struct ibv_send_wr *wr)
{
	(void)end, (void)wr;
	return qps[number % MOST_QPS];
}

int main(int argc, char **argv)
{
	struct end end = open_end(parse_options(argc, argv), 0, 0);
	struct vx_srq *srq;
	int i;

	must(vx_srq_create(end.pd, &(struct vx_srq_init){ .attr.max_wr = DEPTH }, &srq));
	must(vx_pool_post_srq_recv(end.pool, srq, DEPTH));
	for (i = 0; i < MOST_QPS; i++)
		must(vx_qp_create(end.pd, &(struct vx_qp_init){ .send_cq = end.cq, .recv_cq = end.cq, .srq = srq }, &qps[i]));
	connect_end(&end, qps, MOST_QPS, (struct told){ 0 }, 0);
	play(&end, qps[0], 0, to_peer, "srq_pingpong");
	must(vx_close(end.ctx));
	return 0;
}
