/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* XRC traffic: the sender names the shared receive queue that a message goes to. */

#include <string.h>

#include "connect.h"
#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_xrcd *xrcd;
	struct vx_srq *srq;
	struct vx_qp *receiver, *sender;
	struct vx_mr *mr;
	struct ibv_sge out, in;
	struct ibv_send_wr send = { .sg_list = &out, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	may_lack(ctx, vx_xrcd_create(ctx, NULL, &xrcd));
	must(vx_srq_create(pd, &(struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = xrcd, .cq = cq }, &srq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd }, &receiver));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_SEND, .send_cq = cq }, &sender));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 128 }, &mr));
	connect_to(receiver, sender, 0);
	connect_to(sender, receiver, 0);

	strcpy(vx_mr_addr(mr), "hello");
	out = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 6, vx_mr_lkey(mr) };
	in = (struct ibv_sge){ out.addr + 64, 64, out.lkey };
	must(vx_srq_get_num(srq, &send.qp_type.xrc.remote_srqn));
	must(vx_srq_post_recv_one(srq, 0, &in, 1));
	must(vx_qp_post_send(sender, &send, NULL));

	/* It completes on the CQ of the SRQ. */
	must_poll(cq, &wc);
	must_complete(&wc, receiver);
	printf("received: %s\n", (char *)vx_mr_addr(mr) + 64);
	must(vx_close(ctx));
	return 0;
}
