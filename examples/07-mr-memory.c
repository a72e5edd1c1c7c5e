/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory that comes with its region: page aligned, zeroed, and gone when it is closed. */

#include <string.h>

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_mr *mr, *huge;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 65536 }, &mr));
	strcpy(vx_mr_addr(mr), "hello");
	printf("%s, %zu bytes, %s\n", (char *)vx_mr_addr(mr), vx_mr_length(mr),
	       (uintptr_t)vx_mr_addr(mr) % 4096 ? "not aligned" : "page aligned");

	/* In huge pages where the machine has some, else in ordinary ones. */
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 1 << 21, .flags = VX_MR_HUGE_IF_THERE }, &huge));
	vx_print(stdout, huge);
	must(vx_close(huge));
	must(vx_close(ctx));
	return 0;
}
