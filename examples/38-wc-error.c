/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Completions that failed, explained: a write that the peer's region does not allow, and what was posted behind it. */

#include "connect.h"
#include "example.h"

#define REQUESTS 2

/* Only who posted a request knows what it was: the opcode of a completion that failed is not valid. */
static void explain_one(struct vx_cq *cq, const struct vx_qp *qp)
{
	char text[1536];
	struct ibv_wc wc;

	must_poll(cq, &wc);
	vx_wc_error(text, sizeof(text), &wc, qp, IBV_WC_RDMA_WRITE);
	printf("%s\n", text);
}

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct ibv_sge sge;
	uint64_t wr_id;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);

	/* The region lacks IBV_ACCESS_REMOTE_WRITE. The QP goes to the state ERR, where requests end unheard. */
	sge = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 8, vx_mr_lkey(mr) };
	for (wr_id = 1; wr_id <= REQUESTS; wr_id++) {
		must(vx_qp_post_rdma_write(qp, wr_id, IBV_SEND_SIGNALED, &sge, 1, vx_mr_rkey(mr), sge.addr));
		explain_one(cq, qp);
	}
	must(vx_close(ctx));
	return 0;
}
