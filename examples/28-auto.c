/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handles that close themselves when their scope ends, however it does. */

#include "example.h"

/* A QP with a CQ of its own. Whatever exists when a step fails is closed without further code. */
static int make_qp(struct vx_ctx *ctx, struct vx_pd *pd, uint32_t depth, struct vx_qp **out)
{
	VX_AUTO struct vx_cq *cq = NULL;
	VX_AUTO struct vx_qp *qp = NULL;
	int rc;

	rc = vx_cq_create(ctx, NULL, &cq);
	if (rc < 0)
		return rc;
	rc = vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap.max_send_wr = depth }, &qp);
	if (rc < 0)
		return rc;

	/* Both stay: they are taken out of their variables. */
	VX_TAKE(cq);
	*out = VX_TAKE(qp);
	return 0;
}

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_qp *qp;
	char name[64];

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	if (make_qp(ctx, pd, 100000000, &qp) < 0)
		printf("%s\n", vx_error_text());
	must(make_qp(ctx, pd, 64, &qp));
	vx_object_name(name, sizeof(name), qp);
	printf("made %s\n", name);
	must(vx_close(ctx));
	return 0;
}
