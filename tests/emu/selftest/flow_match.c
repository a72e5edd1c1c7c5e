/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which headers a specification of a flow matches; of Ethernet. */
#include <arpa/inet.h>

#include "frames.h"

TestSuite(flow_match, .init = open_alone, .fini = close_bed);

/* Whether a flow of one specification gets the frame that was put together */
static bool matches(const void *spec, size_t size)
{
	struct rule r = rule_of(0);
	struct ibv_flow *f;
	int n;

	add(&r, spec, size);
	f = steer(&r, &one);
	send_frame();
	n = got(&one);
	CHECK(!ibv_destroy_flow(f) && n <= 1);
	return n;
}

#define SPEC(kind, t, ...) \
	struct ibv_flow_spec_##kind spec = { .type = IBV_FLOW_SPEC_##t, .size = sizeof(spec), __VA_ARGS__ }
#define MATCHES() matches(&spec, sizeof(spec))

Test(flow_match, ethernet)
{
	SPEC(eth, ETH, .val.dst_mac = { 2, 0, 0, 0, 0, 2 });

	open_raw();
	memset(spec.mask.dst_mac, 0xff, sizeof(spec.mask.dst_mac));
	begin_frame(0x1234);
	CHECK(MATCHES());
	spec.val.dst_mac[5] = 3;
	begin_frame(0x1234);
	CHECK(!MATCHES());
	spec.mask.dst_mac[5] = 0;
	begin_frame(0x1234);
	CHECK(MATCHES());
	spec.val.ether_type = htons(0x1235);
	spec.mask.ether_type = 0xffff;
	begin_frame(0x1234);
	CHECK(!MATCHES());
	close_raw();
}

Test(flow_match, a_vlan_tag_and_the_type_after_it)
{
	SPEC(eth, ETH, .val.vlan_tag = htons(7), .mask.vlan_tag = htons(0xfff));

	open_raw();
	spec.val.ether_type = htons(0x1234);
	spec.mask.ether_type = 0xffff;
	begin_frame(0x8100);
	word(7 << 16 | 0x1234);
	CHECK(MATCHES());
	begin_frame(0x8100);
	word(8 << 16 | 0x1234);
	CHECK(!MATCHES());
	spec.val.vlan_tag = 0;
	begin_frame(0x1234);
	CHECK(!MATCHES());
	close_raw();
}

Test(flow_match, ipv4)
{
	SPEC(ipv4, IPV4, .val.dst_ip = htonl(0x0a000000), .mask.dst_ip = htonl(0xffffff00));

	open_raw();
	begin_frame(0x0800);
	ipv4(IPPROTO_UDP);
	CHECK(MATCHES());
	spec.val.src_ip = htonl(0x0a000009);
	spec.mask.src_ip = 0xffffffff;
	begin_frame(0x0800);
	ipv4(IPPROTO_UDP);
	CHECK(!MATCHES());
	close_raw();
}

Test(flow_match, ipv4_by_protocol_and_tos)
{
	SPEC(ipv4_ext, IPV4_EXT, .val = { .proto = 17, .tos = 0x20 }, .mask = { .proto = 0xff, .tos = 0xff });

	open_raw();
	begin_frame(0x0800);
	ipv4(IPPROTO_UDP);
	CHECK(MATCHES());
	begin_frame(0x0800);
	ipv4(IPPROTO_TCP);
	CHECK(!MATCHES());
	begin_frame(0x86dd);
	ipv6(IPPROTO_UDP);
	CHECK(!MATCHES());
	close_raw();
}

Test(flow_match, ipv6)
{
	SPEC(ipv6, IPV6, .val = { .flow_label = htonl(0x12345), .next_hdr = 6, .traffic_class = 0x20 },
	     .mask = { .flow_label = htonl(0xfffff), .next_hdr = 0xff, .traffic_class = 0xff });

	open_raw();
	spec.val.dst_ip[0] = 0xfe;
	spec.mask.dst_ip[0] = 0xff;
	begin_frame(0x86dd);
	ipv6(IPPROTO_TCP);
	CHECK(MATCHES());
	begin_frame(0x86dd);
	ipv6(IPPROTO_UDP);
	CHECK(!MATCHES());
	close_raw();
}

Test(flow_match, tcp_and_udp_are_told_apart)
{
	SPEC(tcp_udp, TCP, .val.dst_port = htons(2000), .mask.dst_port = 0xffff);

	open_raw();
	begin_frame(0x0800);
	ipv4(IPPROTO_TCP);
	ports(1000, 2000, 20);
	CHECK(MATCHES());
	begin_frame(0x86dd);
	ipv6(IPPROTO_UDP);
	ports(1000, 2000, 8);
	CHECK(!MATCHES());
	spec.type = IBV_FLOW_SPEC_UDP;
	begin_frame(0x86dd);
	ipv6(IPPROTO_UDP);
	ports(1000, 2000, 8);
	CHECK(MATCHES());
	begin_frame(0x86dd);
	ipv6(IPPROTO_UDP);
	ports(2000, 1000, 8);
	CHECK(!MATCHES());
	close_raw();
}

Test(flow_match, esp)
{
	SPEC(esp, ESP, .val.spi = htonl(0x1000), .mask.spi = 0xffffffff);

	open_raw();
	for (uint32_t spi = 0x1000; spi <= 0x1001; spi++) {
		begin_frame(0x0800);
		ipv4(IPPROTO_ESP);
		word(spi);
		word(1);
		CHECK(MATCHES() == (spi == 0x1000));
	}
	close_raw();
}

Test(flow_match, gre)
{
	SPEC(gre, GRE, .val = { .protocol = htons(0x6558), .key = htonl(42) },
	     .mask = { .protocol = 0xffff, .key = 0xffffffff });

	open_raw();
	for (uint32_t key = 42; key <= 43; key++) {
		begin_frame(0x0800);
		ipv4(IPPROTO_GRE);
		word(0x20006558);
		word(key);
		eth(0x1234);
		CHECK(MATCHES() == (key == 42));
	}
	close_raw();
}

Test(flow_match, mpls)
{
	SPEC(mpls, MPLS, .val.label = htonl(16 << 12), .mask.label = htonl(0xfffff000));

	open_raw();
	for (uint32_t label = 16; label <= 17; label++) {
		begin_frame(0x8847);
		word(label << 12 | 0x140);
		CHECK(MATCHES() == (label == 16));
	}
	close_raw();
}

static void vxlan(uint32_t vni)
{
	begin_frame(0x0800);
	ipv4(IPPROTO_UDP);
	ports(1000, 4789, 8);
	word(0x08000000);
	word(vni << 8);
}

Test(flow_match, vxlan)
{
	SPEC(tunnel, VXLAN_TUNNEL, .val.tunnel_id = htonl(42), .mask.tunnel_id = htonl(0xffffff));

	open_raw();
	vxlan(42);
	CHECK(MATCHES());
	vxlan(43);
	CHECK(!MATCHES());
	close_raw();
}

Test(flow_match, headers_in_a_tunnel)
{
	SPEC(tcp_udp, TCP, .val.dst_port = htons(2000), .mask.dst_port = 0xffff);

	open_raw();
	spec.type |= IBV_FLOW_SPEC_INNER;
	vxlan(42);
	eth(0x0800);
	ipv4(IPPROTO_TCP);
	ports(1000, 2000, 20);
	CHECK(MATCHES());
	begin_frame(0x0800);
	ipv4(IPPROTO_TCP);
	ports(1000, 2000, 20);
	CHECK(!MATCHES());
	close_raw();
}
