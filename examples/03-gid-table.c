/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The GIDs and P_Keys of a device. */

#include "example.h"

#define MOST 64

int main(void)
{
	struct ibv_gid_entry entries[MOST], one;
	uint16_t pkeys[MOST];
	struct vx_ctx *ctx;
	size_t count, i;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_ctx_query_gid_table(ctx, entries, MOST, &count));
	for (i = 0; i < count; i++) {
		vx_fprint(stdout, VX_STRUCT(ibv_gid_entry), &entries[i], VX_COMPACT);
		putchar('\n');
	}

	/* One entry by itself; an empty one is an error with a reason. */
	must(vx_ctx_query_gid(ctx, 1, 0, &one));
	printf("GID 0: ");
	vx_print(stdout, &one.gid);
	if (vx_ctx_query_gid(ctx, 1, 3, &one) < 0)
		printf("%s\n", vx_error_text());

	must(vx_ctx_query_pkey_table(ctx, 1, pkeys, MOST, &count));
	for (i = 0; i < count; i++)
		if (pkeys[i])
			printf("P_Key %zu: %#x\n", i, pkeys[i]);
	must(vx_close(ctx));
	return 0;
}
