/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* A shared receive queue, with its limit. */

#include "example.h"

int main(void)
{
	struct ibv_srq_attr limit = { .srq_limit = 8 };
	struct vx_context *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_srq *srq;
	struct vx_qp *qp;

	must(vx_context_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_srq_create(pd, &(struct vx_srq_init){ .attr.max_wr = 32 }, &srq));
	must(vx_srq_modify(srq, &limit, IBV_SRQ_LIMIT));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .srq = srq }, &qp));
	vx_print(stdout, srq);

	/* The QP uses the SRQ, so it goes first. */
	must(vx_close(srq));
	must(vx_close(ctx));
	return 0;
}
