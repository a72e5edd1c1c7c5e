/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A protection domain, and memory registered in it. */

#include "example.h"

int main(void)
{
	static char memory[8192];
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_mr *mr;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory,
						    .length = sizeof(memory),
						    .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ },
			  &mr));
	vx_print(stdout, pd);
	vx_print(stdout, mr);

	/* The MR goes before the PD, and both before the device. */
	must(vx_close(ctx));
	return 0;
}
