/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A reliable connection of a QP with itself, and one message through it. */

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
	struct ibv_sge out, in;
	struct ibv_wc wc;
	int done;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 128 }, &mr));
	connect_to(qp, qp, 0);

	strcpy(vx_mr_addr(mr), "hello");
	out = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 6, vx_mr_lkey(mr) };
	in = (struct ibv_sge){ out.addr + 64, 64, out.lkey };
	must(vx_qp_post_recv_one(qp, 2, &in, 1));
	must(vx_qp_post_send_one(qp, 1, IBV_SEND_SIGNALED, &out, 1));
	for (done = 0; done < 2; done++) {
		must_poll(cq, &wc);
		must_complete(&wc, qp);
		printf("request %d: %s, %s\n", (int)wc.wr_id, vx_ibv_wc_opcode_name(wc.opcode),
		       vx_ibv_wc_status_name(wc.status));
	}
	printf("received: %s\n", (char *)vx_mr_addr(mr) + 64);
	must(vx_close(ctx));
	return 0;
}
