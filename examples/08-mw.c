/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory windows of both types. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_mw *first, *second;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_mw_create(pd, NULL, &first));
	must(vx_mw_create(pd, &(struct vx_mw_init){ .type = IBV_MW_TYPE_2 }, &second));
	vx_print(stdout, first);
	vx_print(stdout, second);
	must(vx_close(ctx));
	return 0;
}
