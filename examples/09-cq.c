/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A completion queue and the channel that wakes a program when it fills. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	struct ibv_wc wc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_comp_channel_create(ctx, NULL, &channel));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 100, .channel = channel }, &cq));
	vx_print(stdout, cq);

	must(vx_cq_req_notify(cq, 0));
	printf("%d completions\n", vx_cq_poll(cq, 1, &wc));
	must(vx_cq_resize(cq, 1000));
	printf("room for %s 1000 now\n", vx_cq_raw(cq)->cqe >= 1000 ? "at least" : "fewer than");

	/* Closing the channel closes the CQ that uses it. */
	must(vx_close(channel));
	must(vx_close(ctx));
	return 0;
}
