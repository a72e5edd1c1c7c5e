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

	while (!ibv_poll_cq(vx_cq_raw(cq), 1, &wc))
		;
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
	struct ibv_send_wr write = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				     .send_flags = IBV_SEND_SIGNALED }, *bad;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);

	/* The region lacks IBV_ACCESS_REMOTE_WRITE. The QP goes to the state ERR, where requests end unheard. */
	sge = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 8, vx_mr_lkey(mr) };
	write.wr.rdma.remote_addr = (uintptr_t)vx_mr_addr(mr);
	write.wr.rdma.rkey = vx_mr_rkey(mr);
	for (write.wr_id = 1; write.wr_id <= REQUESTS; write.wr_id++) {
		must_raw(ibv_post_send(vx_qp_raw(qp), &write, &bad), "ibv_post_send");
		explain_one(cq, qp);
	}
	must(vx_close(ctx));
	return 0;
}
