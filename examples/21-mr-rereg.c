/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Changing a memory region in place, and what is left of it when that fails. */

#include "example.h"

static char memory[8192];

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd, *other;
	struct vx_mr *mr;
	enum vx_mr_state state;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_pd_create(ctx, NULL, &other));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = 4096 }, &mr));

	must(vx_mr_rereg(mr, &(struct vx_mr_change){ .addr = memory, .length = 8192 }, NULL));
	printf("%zu bytes\n", vx_mr_length(mr));

	/* Under another PD, so that the first one can go. */
	must(vx_mr_rereg(mr, &(struct vx_mr_change){ .pd = other }, NULL));
	must(vx_close(pd));
	vx_print(stdout, mr);

	if (vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_WRITE }, &state) < 0)
		printf("%s\n%s\n", vx_error_text(), state == VX_MR_BROKEN ? "now it can only be closed" : "it is as before");
	must(vx_close(ctx));
	return 0;
}
