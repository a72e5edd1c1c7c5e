/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A path as text: from a command line or a peer, and back. */

#include "example.h"

static void read_path(const char *from, struct vx_ctx *ctx)
{
	struct vx_path path;
	char text[2048];

	if (vx_path_parse(from, ctx, &path) < 0) {
		printf("%s\n", vx_error_text());
		return;
	}
	vx_path_snprint(text, sizeof(text), &path);
	printf("%s\n", text);
}

int main(void)
{
	struct vx_ctx *ctx;

	/* Nothing but the device is looked up, and where the text names none, it may be anybody's. */
	read_path("10.0.0.2 dqpn=0x105, path_mtu=4096, timeout=18", NULL);
	read_path("0002:c903:00a1:b2c4 sl=3 static_rate=10_gbps", NULL);
	read_path("dlid=7 retry_cnt=0 access=remote_write|local_write", NULL);

	must(vx_ctx_open_index(0, &ctx));
	read_path("7 port=1", ctx);
	must(vx_close(ctx));

	/* What is wrong is told with its column. */
	read_path("10.0.0.2   dqpn=0x1000000", NULL);
	read_path("10.0.0.2   gid_type=ROCE_V3", NULL);
	read_path("7%mlx5_9 sl=3", NULL);
	return 0;
}
