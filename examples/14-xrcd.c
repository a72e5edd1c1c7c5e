/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An XRC domain with what lives in it: a shared receive queue and a receiving QP. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_xrcd *xrcd;
	struct vx_srq *srq;
	struct vx_qp *qp;
	uint32_t number;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_xrcd_create(ctx, NULL, &xrcd));
	must(vx_srq_create(pd, &(struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = xrcd, .cq = cq }, &srq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd }, &qp));

	must(vx_srq_get_num(srq, &number));
	printf("peers send to SRQ %u\n", number);
	vx_print(stdout, srq);
	must(vx_close(ctx));
	return 0;
}
