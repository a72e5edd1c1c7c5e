/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A library that is given an object of rdma-core: it works on what its caller has, and leaves that alone. */

#include "example.h"

static void library(struct ibv_pd *theirs)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_mr *mr;

	must(vx_ctx_borrow(theirs->context, &ctx));
	must(vx_pd_borrow(ctx, theirs, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));
	vx_print(stdout, mr);

	/* The region goes, which was made here; the others are the caller's, who has the same handles as it happens. */
	must(vx_close(mr));
	must(vx_close(pd));
	must(vx_close(ctx));
}

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	library(vx_pd_raw(pd));
	vx_print(stdout, pd);
	must(vx_close(ctx));
	return 0;
}
