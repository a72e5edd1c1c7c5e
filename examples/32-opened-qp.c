/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An XRC receiving QP, opened once more by its number, as another process with the same domain would. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_xrcd *xrcd;
	struct vx_qp *made;
	struct vx_opened_qp_init which = { 0 };
	struct vx_qp *opened;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_xrcd_create(ctx, NULL, &xrcd));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd }, &made));

	which.xrcd = xrcd;
	which.qp_num = vx_qp_raw(made)->qp_num;

	may_lack(ctx, vx_opened_qp_create(ctx, &which, &opened));
	vx_print(stdout, opened);
	must(vx_close(ctx));
	return 0;
}
