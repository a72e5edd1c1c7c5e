/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Steering packets. */

#include "mistakes.h"

static struct vx_qp *raw_packet_qp(struct bench *b)
{
	struct vx_qp *qp;

	must(vx_qp_create(b->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = b->cq, .recv_cq = b->cq }, &qp));
	return qp;
}

static int steer(struct bench *b, struct vx_qp *qp, struct vx_flow_init init)
{
	expect_answer(b);
	return vx_flow_create(qp, &init, &(struct vx_flow *){ NULL });
}

#define STEERED(name, ...) \
	static int name(struct bench *b) \
	{ \
		const struct vx_flow_spec specs[] = { __VA_ARGS__ }; \
\
		return steer(b, raw_packet_qp(b), \
			     (struct vx_flow_init){ .specs = specs, .count = sizeof(specs) / sizeof(specs[0]) }); \
	}

STEERED(fragments, { .type = IBV_FLOW_SPEC_ETH }, { .type = IBV_FLOW_SPEC_IPV4_EXT, .val.ipv4.flags = 1 })
STEERED(sequence_number, { .type = IBV_FLOW_SPEC_ESP, .val.esp = { .spi = 1, .seq = 5 } })
STEERED(two_protocols, { .type = IBV_FLOW_SPEC_ETH, .val.eth.ether_type = 0x86dd },
	{ .type = IBV_FLOW_SPEC_IPV4, .val.ipv4.dst_ip = "192.0.2.1" })
STEERED(inner_fragments, { .type = IBV_FLOW_SPEC_VXLAN_TUNNEL, .val.tunnel.tunnel_id = 5 },
	{ .type = IBV_FLOW_SPEC_IPV4_EXT | IBV_FLOW_SPEC_INNER, .val.ipv4.flags = 1 })
STEERED(tunnel_in_a_tunnel, { .type = IBV_FLOW_SPEC_VXLAN_TUNNEL | IBV_FLOW_SPEC_INNER, .val.tunnel.tunnel_id = 5 })
STEERED(inner_tag, { .type = IBV_FLOW_SPEC_ETH }, { .type = IBV_FLOW_SPEC_ACTION_TAG | IBV_FLOW_SPEC_INNER, .tag_id = 1 })
STEERED(long_tag, { .type = IBV_FLOW_SPEC_ETH }, { .type = IBV_FLOW_SPEC_ACTION_TAG, .tag_id = 1 << 25 })

/* On a port of InfiniBand. */
static int datagrams(struct bench *b)
{
	const struct vx_flow_spec spec = { .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp.dst_port = 4791 };

	return steer(b, qp_in(b, IBV_QPT_UD, IBV_QPS_INIT), (struct vx_flow_init){ .specs = &spec, .count = 1 });
}

static int all_there_is(struct bench *b)
{
	return steer(b, qp_in(b, IBV_QPT_UD, IBV_QPS_INIT), (struct vx_flow_init){ .type = IBV_FLOW_ATTR_NORMAL });
}

static int connected(struct bench *b)
{
	return vx_flow_create(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), NULL, &(struct vx_flow *){ NULL });
}

static const struct mistake mistakes[] = {
	{ "headers that the device cannot look into", fragments, -EOPNOTSUPP,
	  "the device or its provider may not support specs[0] IBV_FLOW_SPEC_ETH, specs[1] IBV_FLOW_SPEC_IPV4_EXT", NULL, EMU_ROCE },
	{ "a field that changes with each packet", sequence_number, -EOPNOTSUPP, "may not support specs[0] IBV_FLOW_SPEC_ESP", NULL,
	  EMU_ROCE },
	{ "an EtherType for IPv6, and an address of IPv4", two_protocols, -EINVAL,
	  "may not support specs[0] IBV_FLOW_SPEC_ETH, specs[1] IBV_FLOW_SPEC_IPV4 with these values and in this order", NULL, EMU_ROCE },
	{ "headers in a tunnel that the device cannot look into", inner_fragments, -EOPNOTSUPP,
	  "specs[0] IBV_FLOW_SPEC_VXLAN_TUNNEL, specs[1] IBV_FLOW_SPEC_IPV4_EXT (inner)", NULL, EMU_ROCE },
	{ "a tunnel in a tunnel", tunnel_in_a_tunnel, -EINVAL,
	  "specs[0].type has IBV_FLOW_SPEC_INNER, which does not go with IBV_FLOW_SPEC_VXLAN_TUNNEL", NULL, EMU_ROCE },
	{ "a tag for what is in a tunnel", inner_tag, -EINVAL,
	  "specs[1].type has IBV_FLOW_SPEC_INNER, which does not go with IBV_FLOW_SPEC_ACTION_TAG", NULL, EMU_ROCE },
	{ "a tag of more bits than completions have", long_tag, -EINVAL, "specs[1].tag_id = 0x2000000, but mlx5 has 24 bits for it",
	  NULL, EMU_ROCE },
	{ "steering datagrams on a port of Ethernet", datagrams, -EINVAL, "on an Ethernet port only QPs of type RAW_PACKET have flows",
	  NULL, EMU_ROCE },
	{ "steering by a port of UDP on a port of InfiniBand", datagrams, -EOPNOTSUPP, "may not support specs[0] IBV_FLOW_SPEC_UDP" },
	{ "steering on a port of InfiniBand", all_there_is, -EOPNOTSUPP,
	  "the provider has this call, but the device or its port may have no flows" },
	{ "steering to a connected QP on a port of InfiniBand", connected, -EOPNOTSUPP,
	  "only QPs of type UD and RAW_PACKET have flows: this one is IBV_QPT_RC" },
	{ "steering with a provider that cannot", datagrams, -EOPNOTSUPP, "Operation not supported: the provider does not support this call",
	  NULL, SOFT_ROCE },
};

CHAPTER(flows, "Specs of flows");
