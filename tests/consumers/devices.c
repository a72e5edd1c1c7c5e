/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program that reaches rdma-core: it names the first device and queries its first port. */
#include <stdio.h>

#include <verbsx/verbsx.h>

static int show_port(const struct vx_ctx *ctx)
{
	struct ibv_port_attr port;

	if (vx_ctx_query_port(ctx, 1, &port) < 0)
		return -1;
	printf("%s: %s\n", vx_ctx_name(ctx), vx_ibv_port_state_name(port.state));
	return 0;
}

int main(void)
{
	struct vx_ctx *ctx;
	int rc;

	rc = vx_ctx_open_index(0, &ctx);
	if (rc == 0) {
		rc = show_port(ctx);
		vx_close(ctx);
	}
	if (rc < 0)
		fprintf(stderr, "%s\n", vx_error_text());
	return rc < 0;
}
