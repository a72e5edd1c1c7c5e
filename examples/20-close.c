/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Closing: what depends on an object goes first, and handles can be given back. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd, *again;
	struct vx_mr *mr;
	void *raw;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));

	/* Nothing is given away that something else depends on. */
	if (!vx_give_back(pd))
		printf("%s\n", vx_error_text());
	must(vx_close(mr));
	raw = vx_give_back(pd);

	/* What was made by rdma-core's own calls can be taken over. */
	must(vx_pd_adopt(ctx, raw, &again));
	vx_print(stdout, again);
	must(vx_close(ctx));
	return 0;
}
