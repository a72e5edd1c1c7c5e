/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What was added to a device's attributes over the years. */

#include "example.h"

int main(void)
{
	struct ibv_device_attr_ex attr;
	struct vx_ctx *ctx;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_ctx_query_device_ex(ctx, &attr));

	printf("on-demand paging: ");
	vx_fprint(stdout, VX_TYPEOF(&attr.odp_caps), &attr.odp_caps, VX_COMPACT);
	printf("\nclock: %llu kHz\n", (unsigned long long)attr.hca_core_clock);
	printf("ports: %u\n", attr.phys_port_cnt_ex);
	must(vx_close(ctx));
	return 0;
}
