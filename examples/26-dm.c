/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Device memory, and a region of it; few devices have any. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_dm *dm;
	struct vx_mr *mr;
	char back[8] = "";

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	may_lack(ctx, vx_dm_create(ctx, &(struct vx_dm_init){ .length = 4096 }, &dm));
	/* In words of 4 bytes, at multiples of 4. */
	must(vx_dm_memcpy_to(dm, 64, "hello!!", 8));
	must(vx_dm_memcpy_from(dm, back, 64, sizeof(back)));
	printf("%s\n", back);

	must(vx_mr_create(pd, &(struct vx_mr_init){ .dm = dm, .length = 4096 }, &mr));
	vx_print(stdout, mr);

	/* The region goes before the memory. */
	must(vx_close(dm));
	must(vx_close(ctx));
	return 0;
}
