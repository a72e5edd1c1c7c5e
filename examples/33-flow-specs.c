/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Flow steering: every header that packets can be told apart by, and what rdma-core is asked for with each. */
/* It needs a port of Ethernet: vx emu -c link_layer=ethernet -- example-33-flow-specs */

#include <string.h>

#include "example.h"

static const struct vx_flow_spec headers[] = {
	{ .type = IBV_FLOW_SPEC_ETH, .val.eth = { .src_mac = "02:00:0a:00:00:01", .ether_type = 0x0800 } },
	{ .type = IBV_FLOW_SPEC_IPV4, .val.ipv4 = { .src_ip = "10.0.0.1", .dst_ip = "10.0.1.0/24" } },
	{ .type = IBV_FLOW_SPEC_IPV4_EXT, .val.ipv4 = { .proto = 17, .ttl = 64 } },
	{ .type = IBV_FLOW_SPEC_IPV6, .val.ipv6 = { .dst_ip = "fe80::/64", .next_hdr = 6 } },
	{ .type = IBV_FLOW_SPEC_TCP, .val.tcp_udp = { .dst_port = 443 } },
	{ .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp = { .dst_port = 4791 } },
	{ .type = IBV_FLOW_SPEC_ESP, .val.esp = { .spi = 0x1000 } },
	{ .type = IBV_FLOW_SPEC_GRE, .val.gre = { .protocol = 0x0800 } },
	{ .type = IBV_FLOW_SPEC_MPLS, .val.mpls = { .label = 16 << 12 } },
	{ .type = IBV_FLOW_SPEC_VXLAN_TUNNEL, .val.tunnel = { .tunnel_id = 42 } },
	{ .type = IBV_FLOW_SPEC_INNER | IBV_FLOW_SPEC_ETH, .val.eth = { .dst_mac = "02:00:0a:00:00:02" } },
	{ .type = IBV_FLOW_SPEC_ACTION_TAG, .tag_id = 7 },
	{ .type = IBV_FLOW_SPEC_ACTION_DROP },
};

/* What goes to rdma-core, up to its answer: few devices steer by all of them. */
static void show(const struct vx_trace_call *call, void *data)
{
	const char *specs = strstr(call->line, " specs=[");

	(void)data;
	if (specs && !call->aside)
		printf("%s\n", specs + 1);
}

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_flow *flow;
	size_t i;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	may_lack(ctx, vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = cq, .recv_cq = cq },
				   &qp));
	must(vx_trace_callback(show, NULL));
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (!vx_flow_create(qp, &(struct vx_flow_init){ .specs = &headers[i], .count = 1 }, &flow))
			must(vx_close(flow));
	must(vx_trace_callback(NULL, NULL));
	must(vx_close(ctx));
	return 0;
}
