/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The attributes of a port, for people and for programs. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct ibv_port_attr port;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_ctx_query_port(ctx, 1, &port));

	printf("port 1 is %s\n", vx_ibv_port_state_name(port.state));
	vx_print(stdout, &port);
	vx_fprint(stdout, VX_TYPEOF(&port), &port, VX_JSON);
	putchar('\n');

	/* Asking for a port that is not there says which ones are. */
	if (vx_ctx_query_port(ctx, 9, &port) < 0)
		printf("%s\n", vx_error_text());
	must(vx_close(ctx));
	return 0;
}
