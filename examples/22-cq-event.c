/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Sleeping until something completes: arm the CQ, wait for its channel, poll. */

#include <string.h>

#include "connect.h"
#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_comp_channel *channel;
	struct vx_comp_event event;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_comp_channel_create(ctx, NULL, &channel));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE |
									     IBV_ACCESS_REMOTE_WRITE }, &mr));
	connect_to(qp, qp, IBV_ACCESS_REMOTE_WRITE);

	must(vx_cq_req_notify(cq, 0));
	sge = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 8, vx_mr_lkey(mr) };
	must(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, &sge, 1, vx_mr_rkey(mr), sge.addr + 32));

	must(vx_comp_channel_get_event(channel, 5000, &event));
	printf("the right CQ: %s\n", event.cq == cq ? "yes" : "no");
	must_poll(event.cq, &wc); /* there is one: the event says so */
	must_complete(&wc, qp);
	printf("%s, %s\n", vx_ibv_wc_opcode_name(wc.opcode), vx_ibv_wc_status_name(wc.status));

	/* Closing acknowledges the events that vx_comp_channel_get_event() has given. */
	must(vx_close(ctx));
	return 0;
}
