/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A memory window at work: bound to a part of a region, written through by the key that it has then. */

#include <string.h>

#include "connect.h"
#include "example.h"

static void wait_for_one(struct vx_cq *cq, struct vx_qp *qp)
{
	struct ibv_wc wc;

	must_poll(cq, &wc);
	must_complete(&wc, qp);
	printf("%s, %s\n", vx_ibv_wc_opcode_name(wc.opcode), vx_ibv_wc_status_name(wc.status));
}

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_mw *mw;
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED };
	struct ibv_sge sge;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 128, .access = IBV_ACCESS_LOCAL_WRITE |
									      IBV_ACCESS_MW_BIND }, &mr));
	must(vx_mw_create(pd, NULL, &mw));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);

	/* The region is closed to peers, and the window opens its second half. Whether it is bound, the completion tells. */
	bind.bind_info = (struct ibv_mw_bind_info){ .mr = vx_mr_raw(mr), .addr = (uintptr_t)vx_mr_addr(mr) + 64,
						    .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };
	must(vx_qp_bind_mw(qp, mw, &bind));
	wait_for_one(cq, qp);

	strcpy(vx_mr_addr(mr), "hello");
	sge = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 6, vx_mr_lkey(mr) };
	must(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, &sge, 1, vx_mw_raw(mw)->rkey, bind.bind_info.addr));
	wait_for_one(cq, qp);
	printf("written: %s\n", (char *)vx_mr_addr(mr) + 64);
	must(vx_close(ctx));
	return 0;
}
