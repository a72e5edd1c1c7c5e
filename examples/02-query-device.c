/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a device can do. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct ibv_device_attr attr;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_ctx_query_device(ctx, &attr));

	printf("%s has up to %d QPs\n", vx_ctx_name(ctx), attr.max_qp);
	vx_print(stdout, &attr);
	must(vx_close(ctx));
	return 0;
}
