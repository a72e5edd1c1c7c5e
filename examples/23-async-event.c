/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Asynchronous events: here a QP that takes from an SRQ says that it took its last. */

#include <errno.h>

#include "connect.h"
#include "example.h"

int main(void)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };
	struct vx_async_event event;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_srq *srq;
	struct vx_qp *qp;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_srq_create(pd, NULL, &srq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .srq = srq }, &qp));
	connect_to(qp, qp, 0);

	must(vx_qp_modify(qp, &error, IBV_QP_STATE));
	must(vx_ctx_get_async_event(ctx, 5000, &event));
	printf("%s of the QP: %s\n", vx_ibv_event_type_name(event.type), event.object == qp ? "yes" : "no");
	vx_async_event_ack(&event);

	if (vx_ctx_get_async_event(ctx, 10, &event) == -EAGAIN)
		printf("nothing else within 10 ms\n");
	must(vx_close(ctx));
	return 0;
}
