/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An extended QP: the operations to come are said when it is made, and then posted by functions, not structures. */

#include <string.h>

#include "connect.h"
#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_wr *wr;
	struct ibv_wc wc;
	char *memory;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq,
						    .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 128, .access = IBV_ACCESS_LOCAL_WRITE |
									      IBV_ACCESS_REMOTE_WRITE }, &mr));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);
	memory = vx_mr_addr(mr);
	strcpy(memory, "hello");

	/* Still a struct vx_qp: what tells is the flags that it was made with. */
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(mr), (uintptr_t)memory + 64);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)memory, 6);
	must(vx_wr_complete(wr));

	must_poll(cq, &wc);
	must_complete(&wc, qp);
	printf("request %d: %s, %s\n", (int)wc.wr_id, vx_ibv_wc_opcode_name(wc.opcode), vx_ibv_wc_status_name(wc.status));
	printf("written: %s\n", memory + 64);
	must(vx_close(ctx));
	return 0;
}
