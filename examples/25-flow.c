/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Flow steering: UDP packets for one subnet and port are steered to this QP. */
/* It needs a port of Ethernet: vx emu -c link_layer=ethernet -- example-25-flow */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_flow *flow;
	struct vx_flow_spec specs[] = {
		{ .type = IBV_FLOW_SPEC_ETH, .val.eth = { .dst_mac = "02:00:0a:00:00:01" } },
		{ .type = IBV_FLOW_SPEC_IPV4, .val.ipv4 = { .dst_ip = "10.0.0.0/24" } },
		{ .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp = { .dst_port = 4791 } },
	};
	struct vx_flow_init init = { .port_num = 1, .specs = specs, .count = 3 };

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	may_lack(ctx, vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = cq, .recv_cq = cq },
				   &qp));

	/* Masks are full where a value is; what cannot be is pointed out before the device is asked. */
	specs[1].val.ipv4.dst_ip = "10.0.0.0/240";
	if (vx_flow_create(qp, &init, &flow) < 0)
		printf("%s\n", vx_error_text());

	specs[1].val.ipv4.dst_ip = "10.0.0.0/24";
	may_lack(ctx, vx_flow_create(qp, &init, &flow));
	vx_print(stdout, flow);

	/* They would arrive once the QP is ready to receive, as that of 30-counters.c is. */
	must(vx_close(ctx));
	return 0;
}
