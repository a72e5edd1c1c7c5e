/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What libverbsx asks of rdma-core, call by call. VERBSX_TRACE=1 shows it without a change of the program. */

#include "example.h"

static void show(const struct vx_trace_call *call, void *data)
{
	(void)data;
	if (!call->aside) /* not what is asked to find the reason of a failure */
		printf("%s\n", call->line);
}

int main(void)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	uint64_t calls;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_trace_callback(show, NULL));
	must(vx_trace_counting(true));

	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 16 }, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));

	/* Of the attributes only what the mask names is shown. */
	attr.qp_state = IBV_QPS_INIT;
	must(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	if (vx_cq_resize(cq, 0) < 0)
		printf("-> %s\n", vx_error_text());

	must(vx_close(pd));
	must(vx_trace_callback(NULL, NULL));
	must(vx_trace_count(NULL, &calls));
	printf("%llu calls\n", (unsigned long long)calls);
	must(vx_close(ctx));
	return 0;
}
