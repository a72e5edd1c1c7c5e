/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What goes through the data path, shown. VERBSX_TRACE=1 VERBSX_TRACE_DATA=1 shows it without a change of the program. */

#include <string.h>

#include "connect.h"
#include "example.h"

static void show(const struct vx_trace_call *call, void *data)
{
	(void)data;
	printf("%s\n", call->line);
}

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
	must(vx_trace_data(1)); /* of objects that are made from now on: each call */
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq,
						    .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 128, .access = IBV_ACCESS_LOCAL_WRITE |
									      IBV_ACCESS_REMOTE_WRITE }, &mr));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);
	memory = vx_mr_addr(mr);
	strcpy(memory, "hello");

	must(vx_trace_callback(show, NULL));
	must(vx_cq_poll(cq, 1, &wc)); /* nothing was posted yet, so this finds nothing, and is only counted */
	wr = vx_wr_start(qp);
	vx_wr_rdma_write(wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(mr), (uintptr_t)memory + 64);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), (uintptr_t)memory, 6);
	must(vx_wr_complete(wr));
	must_poll(cq, &wc);
	must_complete(&wc, qp);
	must(vx_trace_callback(NULL, NULL));
	must(vx_close(ctx));
	return 0;
}
