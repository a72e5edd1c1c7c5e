/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Counters: told what to count before a flow counts in them. */
/* It needs a port of Ethernet: vx emu -c link_layer=ethernet -- example-30-counters */

#include "example.h"

/* One frame, which comes back to the port. */
static void send_frame(struct vx_qp *qp, struct vx_mr *mr, struct vx_cq *cq)
{
	struct ibv_sge sge = { .addr = (uintptr_t)vx_mr_raw(mr)->addr, .length = 64, .lkey = vx_mr_raw(mr)->lkey };
	struct ibv_wc wc;

	must(vx_qp_post_send_one(qp, 0, IBV_SEND_SIGNALED, &sge, 1));
	must_poll(cq, &wc);
	must_complete(&wc, qp);
}

int main(void)
{
	static uint8_t frame[64] = { 2, 0, 10, 0, 0, 1, 2, 0, 10, 0, 0, 1, 0x88, 0xb5 };
	struct ibv_counter_attach_attr packets = { .counter_desc = IBV_COUNTER_PACKETS, .index = 0 };
	struct ibv_counter_attach_attr bytes = { .counter_desc = IBV_COUNTER_BYTES, .index = 1 };
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_counters *counters;
	struct vx_flow *flow;
	uint64_t values[2];

	must(vx_ctx_open_index(0, &ctx));
	may_lack(ctx, vx_counters_create(ctx, NULL, &counters));
	must(vx_counters_attach_point_flow(counters, &packets, NULL));
	must(vx_counters_attach_point_flow(counters, &bytes, NULL));

	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_qp_to_rts(qp, NULL));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .addr = frame, .length = sizeof(frame) }, &mr));

	/* The flow that counts in them. */
	struct vx_flow_spec specs[] = {
		{ .type = IBV_FLOW_SPEC_ETH, .val.eth = { .ether_type = 0x88b5 } },
		{ .type = IBV_FLOW_SPEC_ACTION_COUNT, .counters = counters },
	};
	must(vx_flow_create(qp, &(struct vx_flow_init){ .port_num = 1, .specs = specs, .count = 2 }, &flow));
	send_frame(qp, mr, cq);
	send_frame(qp, mr, cq);

	must(vx_counters_read(counters, values, 2, IBV_READ_COUNTERS_ATTR_PREFER_CACHED));
	printf("%llu packets, %llu bytes\n", (unsigned long long)values[0], (unsigned long long)values[1]);
	must(vx_close(ctx));
	return 0;
}
