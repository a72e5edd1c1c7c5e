/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An address handle: where a datagram is to go. */

#include "example.h"

int main(void)
{
	struct vx_ah_init where = { .port_num = 1 };
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_ah *ah;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_ctx_query_port(ctx, 1, &port));
	must(vx_ctx_query_gid(ctx, 1, 0, &gid));

	/* To this port itself: by LID where there is one, on Ethernet by GID. */
	where.dlid = port.lid;
	where.grh.dgid = gid.gid;
	must(vx_ah_create(pd, &where, &ah));
	vx_print(stdout, ah);
	must(vx_close(ctx));
	return 0;
}
