/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects print themselves: their names, what they depend on, and what the device says of them. */

#include "connect.h"
#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	char line[256];

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	connect_to(qp, qp, 0);

	vx_print(stdout, qp);
	vx_snprint(line, sizeof(line), VX_TYPEOF(cq), cq, VX_COMPACT);
	printf("%s\n", line);
	vx_fprint(stdout, VX_TYPEOF(pd), pd, VX_JSON);
	putchar('\n');
	must(vx_close(ctx));
	return 0;
}
