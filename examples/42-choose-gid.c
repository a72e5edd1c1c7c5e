/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which GID of a port a path begins at, and why; `vx gids` shows the same. */
/* vx emu -c link_layer=ethernet,ipv4=127.0.0.1 -- example-42-choose-gid has a port of RoCE for it. */

#include "example.h"

#include <arpa/inet.h>

static void show(const struct ibv_gid_entry *entry, bool taken, const char *why, void *data)
{
	char gid[64];

	(void)data;
	vx_snprint(gid, sizeof(gid), VX_STRUCT(ibv_gid), &entry->gid, VX_COMPACT);
	printf("%s %u %s: %s\n", taken ? "->" : "  ", entry->gid_index, gid, why);
}

int main(void)
{
	union ibv_gid peer = { .raw = { [10] = 0xff, [11] = 0xff } };
	struct ibv_gid_entry gid;
	struct vx_ctx *ctx;
	char why[512];

	must(vx_ctx_open_index(0, &ctx));
	must(vx_ctx_explain_gids(ctx, 1, NULL, show, NULL));

	/* The peer is known: then the kernel's routes decide. IPv4 addresses are GIDs that begin with ::ffff. */
	inet_pton(AF_INET, "127.0.0.9", peer.raw + 12);
	must(vx_ctx_choose_gid(ctx, 1, &peer, &gid, why, sizeof(why)));
	printf("%s\n", why);
	must(vx_close(ctx));
	return 0;
}
