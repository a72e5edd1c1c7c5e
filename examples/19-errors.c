/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Errors that explain: each of these is a mistake that people make. */

#include "example.h"

static void wrong(int rc)
{
	printf("%d: %s\n", rc, vx_error_text());
}

int main(void)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));

	wrong(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq }, &qp));
	wrong(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap.max_send_wr = 1000000 }, &qp));
	wrong(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_REMOTE_WRITE }, &mr));
	wrong(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PORT));

	/* The parts of the last error, for programs. */
	printf("%s failed with %d\n", vx_error()->call, vx_error()->code);
	must(vx_close(ctx));
	return 0;
}
