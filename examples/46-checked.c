/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A checked QP: what is wrong with a request is told before it is posted. VERBSX_CHECKED=1 has all QPs of a program checked. */

#include "connect.h"
#include "example.h"

/* A write of so many bytes from the begin of a region, or without data where there are none. */
static int write_to_itself(struct vx_qp *qp, const struct vx_mr *mr, uint32_t length)
{
	struct vx_wr *wr = vx_wr_start(qp);

	vx_wr_rdma_write(wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(mr), (uintptr_t)vx_mr_addr(mr));
	if (length)
		vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), length);
	return vx_wr_complete(wr);
}

static void show_refusal(int rc)
{
	printf("%s\n", rc < 0 ? vx_error_text() : "it was posted");
}

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct ibv_wc wc;
	uint32_t room;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap.max_send_wr = 64, .checked = true,
						    .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 128, .access = IBV_ACCESS_LOCAL_WRITE |
									      IBV_ACCESS_REMOTE_WRITE }, &mr));
	show_refusal(write_to_itself(qp, mr, 128)); /* as it is in RESET */
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);
	show_refusal(write_to_itself(qp, mr, 0));
	show_refusal(write_to_itself(qp, mr, 129));

	/* As many as there is room for, and one more. */
	for (must(vx_qp_room(qp, &room)); room; room--)
		must(write_to_itself(qp, mr, 128));
	show_refusal(write_to_itself(qp, mr, 128));

	/* What was polled has made room. */
	must_poll(cq, &wc);
	must_complete(&wc, qp);
	show_refusal(write_to_itself(qp, mr, 128));
	must(vx_close(ctx));
	return 0;
}
