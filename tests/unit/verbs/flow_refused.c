/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Flows with a mistake, of which rdma-core never hears: each is named by its field. */

#include <errno.h>

#include "unit/verbs/record_flow.h"

static void open_unasked(void)
{
	record_flows();
	memset(&flow_request, 0xee, sizeof(flow_request));
}

static void close_unasked(void)
{
	cr_expect_eq(flow_request.attr.num_of_specs, 0xee, "rdma-core was asked");
	close_device();
}

static int create(const struct vx_flow_spec *specs, size_t count)
{
	struct vx_flow *flow;

	return vx_flow_create(flow_qp, &(struct vx_flow_init){ .specs = specs, .count = count }, &flow);
}

/* The second of two specs is wrong. */
#define REFUSED(words, ...) \
	do { \
		const struct vx_flow_spec specs[] = { { .type = IBV_FLOW_SPEC_ETH }, { __VA_ARGS__ } }; \
\
		cr_expect_eq(create(specs, 2), -EINVAL); \
		expect_reason(words); \
	} while (0)

#define ETH(...) .type = IBV_FLOW_SPEC_ETH, .val.eth = { __VA_ARGS__ }
#define IPV4(...) .type = IBV_FLOW_SPEC_IPV4, .val.ipv4 = { __VA_ARGS__ }
#define IPV6(...) .type = IBV_FLOW_SPEC_IPV6, .val.ipv6 = { __VA_ARGS__ }

TestSuite(flow_refused, .init = open_unasked, .fini = close_unasked);

Test(flow_refused, for_a_mac)
{
	REFUSED("specs[1].val.eth.dst_mac = \"02:00:0a:00:00\", which is no MAC, such as 02:00:0a:00:00:01",
		ETH(.dst_mac = "02:00:0a:00:00"));
	REFUSED("specs[1].val.eth.src_mac = \"02:00:0a:00:00:0g\", which is no MAC", ETH(.src_mac = "02:00:0a:00:00:0g"));
	REFUSED("val.eth.src_mac = \"02.00:0a:00:00:01\", which is no MAC", ETH(.src_mac = "02.00:0a:00:00:01"));
	REFUSED("val.eth.src_mac = \"\", which is no MAC", ETH(.src_mac = ""));
	REFUSED("specs[1].mask.eth.dst_mac = \"ff\", which is no MAC", ETH(.dst_mac = "02:00:0a:00:00:01"),
		.mask.eth = { .dst_mac = "ff" });
}

Test(flow_refused, for_an_ipv4_address)
{
	REFUSED("specs[1].val.ipv4.dst_ip = \"10.0.0\", which is no IPv4 address, such as 10.0.0.1", IPV4(.dst_ip = "10.0.0"));
	REFUSED("= \"fe80::1\", which is no IPv4 address", IPV4(.dst_ip = "fe80::1"));
	REFUSED("= \"10.0.0.0/33\", whose prefix is not of 0 to 32 bits", IPV4(.src_ip = "10.0.0.0/33"));
	REFUSED("= \"10.0.0.0/\", whose prefix is not of 0 to 32 bits", IPV4(.src_ip = "10.0.0.0/"));
	REFUSED("= \"10.0.0.0/-1\", whose prefix is not", IPV4(.src_ip = "10.0.0.0/-1"));
	REFUSED("= \"10.0.0.0/99999999999999999999\", whose prefix is not", IPV4(.src_ip = "10.0.0.0/99999999999999999999"));
	REFUSED("which is no IPv4 address", IPV4(.src_ip = "10.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1"));
}

Test(flow_refused, for_an_ipv4_mask)
{
	REFUSED("specs[1].mask.ipv4.dst_ip = \"/24\", which is no IPv4 mask, such as 255.255.255.0",
		IPV4(.dst_ip = "10.0.0.1"), .mask.ipv4 = { .dst_ip = "/24" });
	REFUSED("specs[1].mask.ipv4.dst_ip is given, and so is a prefix in val", IPV4(.dst_ip = "10.0.0.1/8"),
		.mask.ipv4 = { .dst_ip = "255.0.0.0" });
}

Test(flow_refused, for_an_ipv6_address)
{
	REFUSED("specs[1].val.ipv6.src_ip = \"10.0.0.1\", which is no IPv6 address, such as fe80::1", IPV6(.src_ip = "10.0.0.1"));
	REFUSED("= \"fe80::/129\", whose prefix is not of 0 to 128 bits", IPV6(.src_ip = "fe80::/129"));
	REFUSED("mask.ipv6.src_ip = \"64\", which is no IPv6 mask, such as ffff:ffff::", IPV6(.src_ip = "fe80::"),
		.mask.ipv6 = { .src_ip = "64" });
}

Test(flow_refused, for_a_number_of_too_many_bits)
{
	REFUSED("specs[1].val.ipv6.flow_label = 0x100000, but has 20 bits", IPV6(.flow_label = 0x100000));
	REFUSED("specs[1].mask.ipv6.flow_label = 0xffffffff, but has 20 bits", IPV6(.flow_label = 1),
		.mask.ipv6 = { .flow_label = 0xffffffff });
	REFUSED("val.tunnel.tunnel_id = 0x1000000, but has 24 bits", .type = IBV_FLOW_SPEC_VXLAN_TUNNEL,
		.val.tunnel = { .tunnel_id = 0x1000000 });
}

Test(flow_refused, for_fields_that_the_type_lacks)
{
	REFUSED("specs[1].val.ipv4.proto is set, which IBV_FLOW_SPEC_IPV4_EXT has, but the type is IBV_FLOW_SPEC_IPV4",
		IPV4(.proto = 17));
	REFUSED("specs[1].mask.ipv4.flags is set, which IBV_FLOW_SPEC_IPV4_EXT has", IPV4(.dst_ip = "10.0.0.1"),
		.mask.ipv4 = { .flags = 1 });
}

Test(flow_refused, for_a_type)
{
	REFUSED("specs[1].type = 0x0, which is none of enum ibv_flow_spec_type", .tag_id = 1);
	REFUSED("specs[1].type = 0x100, which is none", .type = IBV_FLOW_SPEC_INNER);
	REFUSED("specs[1].type has IBV_FLOW_SPEC_INNER, which does not go with IBV_FLOW_SPEC_ACTION_DROP",
		.type = IBV_FLOW_SPEC_ACTION_DROP | IBV_FLOW_SPEC_INNER);
}

/* As libibverbs does, whichever the device. */
Test(flow_refused, for_a_tunnel_in_a_tunnel)
{
	REFUSED("specs[1].type has IBV_FLOW_SPEC_INNER, which does not go with IBV_FLOW_SPEC_VXLAN_TUNNEL",
		.type = IBV_FLOW_SPEC_VXLAN_TUNNEL | IBV_FLOW_SPEC_INNER);
	REFUSED("specs[1].type has IBV_FLOW_SPEC_INNER, which does not go with IBV_FLOW_SPEC_GRE",
		.type = IBV_FLOW_SPEC_GRE | IBV_FLOW_SPEC_INNER);
}

Test(flow_refused, for_an_object_that_is_missing)
{
	REFUSED("specs[1].action is NULL", .type = IBV_FLOW_SPEC_ACTION_HANDLE);
	REFUSED("specs[1].counters is NULL", .type = IBV_FLOW_SPEC_ACTION_COUNT);
}

Test(flow_refused, for_the_list)
{
	cr_expect_eq(create(NULL, 1), -EINVAL);
	expect_reason("specs is NULL, but count = 1");
	cr_expect_eq(create(&(struct vx_flow_spec){ 0 }, 33), -EINVAL);
	expect_reason("count = 33, which is more than 32");
}

Test(flow_refused, for_the_parent)
{
	struct vx_flow *flow;

	cr_expect_eq(vx_flow_create(NULL, NULL, &flow), -EINVAL);
	expect_reason("the parent is NULL");
}

Test(flow_refused, for_what_is_of_another_header_than_its_type)
{
	REFUSED("specs[1].val.ipv4.src_ip is set, which IBV_FLOW_SPEC_IPV4 has, but the type is IBV_FLOW_SPEC_ETH",
		.type = IBV_FLOW_SPEC_ETH, .val.ipv4 = { .src_ip = "10.0.0.1" });
	REFUSED("specs[1].val.eth.ether_type is set, which IBV_FLOW_SPEC_ETH has, but the type is IBV_FLOW_SPEC_IPV6",
		.type = IBV_FLOW_SPEC_IPV6, .val.eth = { .ether_type = 0x0800 });
	REFUSED("specs[1].mask.tcp_udp.dst_port is set, which IBV_FLOW_SPEC_TCP has, but the type is IBV_FLOW_SPEC_IPV4",
		IPV4(.dst_ip = "10.0.0.1"), .mask.tcp_udp = { .dst_port = 1 });
	REFUSED("specs[1].val.esp.spi is set, which IBV_FLOW_SPEC_ESP has, but the type is IBV_FLOW_SPEC_ACTION_DROP",
		.type = IBV_FLOW_SPEC_ACTION_DROP, .val.esp = { .spi = 1 });
	REFUSED("specs[1].val.more is set, which no type has", .type = IBV_FLOW_SPEC_ETH, .val.more = { 1 });
	REFUSED("specs[1].mask.more is set, which no type has", .type = IBV_FLOW_SPEC_ETH, .mask.more = { 1 });
}

Test(flow_refused, for_what_an_action_has_and_its_type_has_not)
{
	struct vx_counters *counters = (struct vx_counters *)flow_qp;
	struct vx_flow_action *action = (struct vx_flow_action *)flow_qp;

	REFUSED("specs[1].counters is set, which IBV_FLOW_SPEC_ACTION_COUNT has, but the type is IBV_FLOW_SPEC_ETH",
		.type = IBV_FLOW_SPEC_ETH, .counters = counters);
	REFUSED("specs[1].action is set, which IBV_FLOW_SPEC_ACTION_HANDLE has, but the type is IBV_FLOW_SPEC_ACTION_COUNT",
		.type = IBV_FLOW_SPEC_ACTION_COUNT, .action = action);
	REFUSED("specs[1].tag_id is set, which IBV_FLOW_SPEC_ACTION_TAG has, but the type is IBV_FLOW_SPEC_ACTION_DROP",
		.type = IBV_FLOW_SPEC_ACTION_DROP, .tag_id = 1);
}

Test(flow_refused, for_specs_shorter_than_any_there_were)
{
	const struct vx_flow_spec specs[] = { { .type = IBV_FLOW_SPEC_ETH } };
	const struct vx_flow_init init = { .specs = specs, .count = 1 };
	struct vx_flow *flow;

	cr_expect_eq(vx_flow_create_sized(flow_qp, &init, sizeof(init), 8, &flow), -EINVAL);
	expect_reason("elements of specs have 8 bytes, and those of the first libverbsx");
	cr_expect_eq(vx_flow_create_sized(flow_qp, &init, sizeof(init), 0, &flow), -EINVAL);
}
