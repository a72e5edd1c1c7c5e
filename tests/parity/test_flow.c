/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What packets come to a QP. Upstream's tests of the same names also send; no device here steers, so each checks that
 * rdma-core is asked for the headers that its namesake sends, byte for byte.
 */

#include <endian.h>

#include "flow.h"

#define SRC_MAC "02:00:00:00:00:01"
#define DST_MAC "01:00:5e:00:00:02"
#define SRC_IP "192.0.2.1"
#define DST_IP "192.0.2.2"
#define SRC_IP6 "2001:db8::1"
#define DST_IP6 "2001:db8::2"
#define SRC_PORT 1234
#define DST_PORT 5678
#define IPV4 0x0800
#define IPV6 0x86dd
#define TCP 6
#define UDP 17

#define FlowTest(name) Twin(test_flow, FlowTest, name)

/* What rdma-core has to be asked for: one header behind the other. */
static unsigned char expected[1024];
static size_t expected_size;

static void expect_next(const void *header, size_t size)
{
	memcpy(expected + expected_size, header, size);
	expected_size += size;
}

/* ---- each header: as it is given, and as the next that is expected; those are static, for zeros between fields ---- */

static struct vx_flow_spec eth(uint16_t ether_type)
{
	return (struct vx_flow_spec){ .type = IBV_FLOW_SPEC_ETH,
				      .val.eth = { .src_mac = SRC_MAC, .dst_mac = DST_MAC, .ether_type = ether_type } };
}

static void expect_eth(uint16_t ether_type)
{
	static struct ibv_flow_spec_eth spec = {
		.type = IBV_FLOW_SPEC_ETH, .size = sizeof(spec),
		.val = { .dst_mac = { 1, 0, 0x5e, 0, 0, 2 }, .src_mac = { 2, 0, 0, 0, 0, 1 } },
		.mask = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 0xffff },
	};

	spec.val.ether_type = htobe16(ether_type);
	expect_next(&spec, sizeof(spec));
}

static struct vx_flow_spec ipv4(void)
{
	return (struct vx_flow_spec){ .type = IBV_FLOW_SPEC_IPV4_EXT,
				      .val.ipv4 = { .src_ip = SRC_IP, .dst_ip = DST_IP, .proto = UDP } };
}

static void expect_ipv4(void)
{
	static struct ibv_flow_spec_ipv4_ext spec = {
		.type = IBV_FLOW_SPEC_IPV4_EXT, .size = sizeof(spec),
		.val.proto = UDP,
		.mask = { .src_ip = 0xffffffff, .dst_ip = 0xffffffff, .proto = 0xff },
	};

	spec.val.src_ip = htobe32(0xc0000201);
	spec.val.dst_ip = htobe32(0xc0000202);
	expect_next(&spec, sizeof(spec));
}

static struct vx_flow_spec ipv6(uint8_t next_hdr)
{
	return (struct vx_flow_spec){ .type = IBV_FLOW_SPEC_IPV6,
				      .val.ipv6 = { .src_ip = SRC_IP6, .dst_ip = DST_IP6, .next_hdr = next_hdr } };
}

static void expect_ipv6(uint8_t next_hdr)
{
	static struct ibv_flow_spec_ipv6 spec = {
		.type = IBV_FLOW_SPEC_IPV6, .size = sizeof(spec),
		.val = { .src_ip = { 0x20, 1, 0xd, 0xb8, [15] = 1 }, .dst_ip = { 0x20, 1, 0xd, 0xb8, [15] = 2 } },
		.mask = { .src_ip = { [0 ... 15] = 0xff }, .dst_ip = { [0 ... 15] = 0xff }, .next_hdr = 0xff },
	};

	spec.val.next_hdr = next_hdr;
	expect_next(&spec, sizeof(spec));
}

static struct vx_flow_spec ports(enum ibv_flow_spec_type type)
{
	return (struct vx_flow_spec){ .type = type, .val.tcp_udp = { .src_port = SRC_PORT, .dst_port = DST_PORT } };
}

static void expect_ports(enum ibv_flow_spec_type type)
{
	static struct ibv_flow_spec_tcp_udp spec = { .size = sizeof(spec), .mask = { 0xffff, 0xffff } };

	spec.type = type;
	spec.val.src_port = htobe16(SRC_PORT);
	spec.val.dst_port = htobe16(DST_PORT);
	expect_next(&spec, sizeof(spec));
}

/* ---- flows ---- */

static struct vx_qp *raw_qp(void)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	need_ethernet();
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

static void expect_flow(const struct vx_flow_spec *specs, uint8_t count)
{
	struct vx_qp *qp = raw_qp();
	struct vx_flow *flow;

	record_flows();
	made(vx_flow_create(qp, &(struct vx_flow_init){ .port_num = 1, .specs = specs, .count = count }, &flow));
	cr_expect_eq(flow_asked.qp, vx_qp_raw(qp));
	cr_expect_eq(flow_asked.attr.type, IBV_FLOW_ATTR_NORMAL);
	cr_expect_eq(flow_asked.attr.port, 1);
	cr_expect_eq(flow_asked.attr.num_of_specs, count);
	cr_assert_eq(flow_asked.attr.size, sizeof(struct ibv_flow_attr) + expected_size);
	cr_expect_arr_eq(flow_asked.specs, expected, expected_size);
	closed(qp);
	cr_expect_eq(flows_gone, 1, "the flow goes with its QP");
}

FlowTest(test_eth_spec_flow_traffic)
{
	const struct vx_flow_spec specs[] = { eth(IPV4) };

	expect_eth(IPV4);
	expect_flow(specs, 1);
}

FlowTest(test_ipv4_spec_flow_traffic)
{
	const struct vx_flow_spec specs[] = { ipv4() };

	expect_ipv4();
	expect_flow(specs, 1);
}

FlowTest(test_ipv6_spec_flow_traffic)
{
	const struct vx_flow_spec specs[] = { eth(IPV6), ipv6(UDP) };

	expect_eth(IPV6);
	expect_ipv6(UDP);
	expect_flow(specs, 2);
}

FlowTest(test_udp_spec_flow_traffic)
{
	const struct vx_flow_spec specs[] = { eth(IPV4), ipv4(), ports(IBV_FLOW_SPEC_UDP) };

	expect_eth(IPV4);
	expect_ipv4();
	expect_ports(IBV_FLOW_SPEC_UDP);
	expect_flow(specs, 3);
}

FlowTest(test_tcp_spec_flow_traffic)
{
	const struct vx_flow_spec specs[] = { eth(IPV6), ipv6(TCP), ports(IBV_FLOW_SPEC_TCP) };

	expect_eth(IPV6);
	expect_ipv6(TCP);
	expect_ports(IBV_FLOW_SPEC_TCP);
	expect_flow(specs, 3);
}
