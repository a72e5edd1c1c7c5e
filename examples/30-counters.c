/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Counters: told what to count before a flow counts in them. */

#include "example.h"

int main(void)
{
	struct ibv_counter_attach_attr packets = { .counter_desc = IBV_COUNTER_PACKETS, .index = 0 };
	struct ibv_counter_attach_attr bytes = { .counter_desc = IBV_COUNTER_BYTES, .index = 1 };
	struct vx_context *ctx;
	struct vx_counters *counters;
	uint64_t values[2];

	must(vx_context_open_index(0, &ctx));

	/* Not every device counts. */
	if (vx_counters_create(ctx, NULL, &counters) < 0) {
		printf("%s\n", vx_error_text());
		must(vx_close(ctx));
		return 0;
	}
	must(vx_counters_attach_point_flow(counters, &packets, NULL));
	must(vx_counters_attach_point_flow(counters, &bytes, NULL));

	/* A flow names them in a spec of type IBV_FLOW_SPEC_ACTION_COUNT. */
	must(vx_counters_read(counters, values, 2, IBV_READ_COUNTERS_ATTR_PREFER_CACHED));
	printf("%llu packets, %llu bytes\n", (unsigned long long)values[0], (unsigned long long)values[1]);
	must(vx_close(ctx));
	return 0;
}
