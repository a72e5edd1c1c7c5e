/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A shared receive queue, and the event that comes when it runs low. */

#include "connect.h"
#include "example.h"

#define RECEIVES 8

/* Messages without data, so that neither side needs memory. */
static void post_receives(struct vx_srq *srq)
{
	int i;

	for (i = 0; i < RECEIVES; i++)
		must(vx_srq_post_recv_one(srq, 0, NULL, 0));
}

int main(void)
{
	struct ibv_srq_attr limit = { .srq_limit = RECEIVES };
	struct vx_async_event event;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_srq *srq;
	struct vx_qp *qp;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_srq_create(pd, &(struct vx_srq_init){ .attr.max_wr = 32 }, &srq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .srq = srq }, &qp));
	connect_to(qp, qp, 0);

	post_receives(srq);
	must(vx_srq_modify(srq, &limit, IBV_SRQ_LIMIT));
	vx_print(stdout, srq);

	/* The first message leaves fewer receives than the limit. That is told once, and then the limit is 0. */
	must(vx_qp_post_send_one(qp, 0, 0, NULL, 0));
	must(vx_ctx_get_async_event(ctx, 5000, &event));
	printf("%s of the SRQ: %s\n", vx_ibv_event_type_name(event.type), event.object == srq ? "yes" : "no");
	must(vx_srq_query(srq, &limit));
	printf("limit now: %u\n", limit.srq_limit);

	/* The QP uses the SRQ, so it goes first. */
	must(vx_close(srq));
	must(vx_close(ctx));
	return 0;
}
