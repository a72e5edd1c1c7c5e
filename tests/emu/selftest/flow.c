/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What flows do with the frames that they match; of Ethernet. */
#include <arpa/inet.h>

#include "frames.h"

TestSuite(flow, .init = open_alone, .fini = close_bed);

static int refused(struct rule *r)
{
	errno = 0;
	return ibv_create_flow(one.qp, &r->attr) ? 0 : errno;
}

static const struct ibv_flow_spec_tcp_udp udp = {
	.type = IBV_FLOW_SPEC_UDP, .size = sizeof(udp), .val.dst_port = 0, .mask.dst_port = 0
};
static const struct ibv_flow_spec_ipv4 ip = { .type = IBV_FLOW_SPEC_IPV4, .size = sizeof(ip) };

Test(flow, what_no_flow_is_for_is_lost)
{
	open_raw();
	send_udp();
	CHECK(!got(&one) && !got(&two));
	close_raw();
}

Test(flow, the_lower_priority_value_wins)
{
	struct rule late = rule_of(5), early = rule_of(4);
	struct ibv_flow *l, *e;

	open_raw();
	add(&late, &udp, sizeof(udp));
	add(&early, &ip, sizeof(ip));
	l = steer(&late, &one);
	e = steer(&early, &two);
	send_udp();
	CHECK(!got(&one) && got(&two) == 1);
	CHECK(!ibv_destroy_flow(e));
	send_udp();
	CHECK(got(&one) == 1 && !got(&two));
	CHECK(!ibv_destroy_flow(l));
	close_raw();
}

Test(flow, equal_flows_all_get_it)
{
	struct rule r = rule_of(0);
	struct ibv_flow *f[3];

	open_raw();
	add(&r, &udp, sizeof(udp));
	f[0] = steer(&r, &one);
	f[1] = steer(&r, &two);
	f[2] = steer(&r, &two);
	send_udp();
	CHECK(got(&one) == 1 && got(&two) == 1);
	for (int i = 0; i < 3; i++)
		CHECK(!ibv_destroy_flow(f[i]));
	close_raw();
}

Test(flow, one_that_does_not_trap_leaves_a_copy)
{
	struct rule copy = rule_of(3), rest = rule_of(3);
	struct ibv_flow *c, *r;

	open_raw();
	copy.attr.flags = IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
	add(&copy, &udp, sizeof(udp));
	add(&rest, &ip, sizeof(ip));
	r = steer(&rest, &one);
	c = steer(&copy, &two);
	send_udp();
	CHECK(got(&one) == 1 && got(&two) == 1);
	CHECK(!ibv_destroy_flow(c) && !ibv_destroy_flow(r));
	close_raw();
}

Test(flow, defaults_get_what_is_left)
{
	struct rule all = rule_of(0), group = rule_of(0);
	struct ibv_flow *a, *g;

	open_raw();
	all.attr.type = IBV_FLOW_ATTR_ALL_DEFAULT;
	group.attr.type = IBV_FLOW_ATTR_MC_DEFAULT;
	g = steer(&group, &two);
	send_udp();
	CHECK(!got(&two));
	begin_frame(0x1234);
	bed.buf[0] |= 1;
	send_frame();
	CHECK(got(&two) == 1);
	CHECK(!ibv_destroy_flow(g));
	a = steer(&all, &one);
	send_udp();
	CHECK(got(&one) == 1);
	CHECK(!ibv_destroy_flow(a));
	close_raw();
}

Test(flow, a_sniffer_sees_both_ways)
{
	struct rule r = rule_of(0);
	struct ibv_flow *f;

	open_raw();
	r.attr.type = IBV_FLOW_ATTR_SNIFFER;
	f = steer(&r, &one);
	send_udp();
	CHECK(got(&one) == 2);
	CHECK(!ibv_destroy_flow(f));
	close_raw();
}

Test(flow, a_drop_is_before_what_comes_later)
{
	struct ibv_flow_spec_action_drop drop = { .type = IBV_FLOW_SPEC_ACTION_DROP, .size = sizeof(drop) };
	struct rule dropping = rule_of(0), other = rule_of(1);
	struct ibv_flow *d, *o;

	open_raw();
	add(&dropping, &udp, sizeof(udp));
	add(&dropping, &drop, sizeof(drop));
	add(&other, &ip, sizeof(ip));
	o = steer(&other, &one);
	d = steer(&dropping, &one);
	send_udp();
	CHECK(!got(&one));
	CHECK(!ibv_destroy_flow(d));
	send_udp();
	CHECK(got(&one) == 1);
	CHECK(!ibv_destroy_flow(o));
	close_raw();
}

static void add_tag(struct rule *r, uint32_t id)
{
	struct ibv_flow_spec_action_tag tag = { .type = IBV_FLOW_SPEC_ACTION_TAG,
						.size = sizeof(tag),
						.tag_id = id };

	add(r, &tag, sizeof(tag));
}

Test(flow, the_tag_is_in_the_completion)
{
	struct rule r = rule_of(0), plain = rule_of(0), other = rule_of(0);
	struct ibv_flow *f;
	uint32_t tag = 0;

	open_raw();
	add(&r, &udp, sizeof(udp));
	add_tag(&r, 0xabcdef);
	f = steer(&r, &one);
	send_udp();
	CHECK(arrived(&one, &tag) == 1 && tag == 0xabcdef);
	add(&other, &udp, sizeof(udp));
	add_tag(&other, 1);
	CHECK(refused(&other) == EEXIST);
	CHECK(!ibv_destroy_flow(f));
	add(&plain, &udp, sizeof(udp));
	f = steer(&plain, &one);
	send_udp();
	CHECK(arrived(&one, &tag) == 1 && tag == 0);
	CHECK(!ibv_destroy_flow(f));
	close_raw();
}

static struct ibv_counters *make_counters(void)
{
	struct ibv_counters_init_attr a = { 0 };
	struct ibv_counters *c = ibv_create_counters(bed.ctx, &a);

	CHECK(c);
	return c;
}

static void attach(struct ibv_counters *c, enum ibv_counter_description what, uint32_t index)
{
	struct ibv_counter_attach_attr a = { .counter_desc = what, .index = index };

	CHECK(!ibv_attach_counters_point_flow(c, &a, NULL));
}

static void add_count(struct rule *r, struct ibv_counters *c)
{
	struct ibv_flow_spec_counter_action count = { .type = IBV_FLOW_SPEC_ACTION_COUNT,
						      .size = sizeof(count),
						      .counters = c };

	add(r, &count, sizeof(count));
}

Test(flow, counters_count_what_matches)
{
	struct ibv_counters *c;
	struct rule r = rule_of(0);
	uint64_t v[2] = { 0 };
	struct ibv_flow *f;

	open_raw();
	c = make_counters();
	attach(c, IBV_COUNTER_PACKETS, 1);
	attach(c, IBV_COUNTER_BYTES, 0);
	CHECK(ibv_read_counters(c, v, 2, 0) == EINVAL);
	add(&r, &udp, sizeof(udp));
	add_count(&r, c);
	f = steer(&r, &one);
	send_udp();
	send_udp();
	begin_frame(0x1234);
	send_frame();
	CHECK(!ibv_read_counters(c, v, 2, 0) && v[1] == 2 && v[0] == 2 * 46);
	CHECK(ibv_read_counters(c, v, 1, 0) == EINVAL);
	CHECK(ibv_destroy_counters(c) == EBUSY);
	send_udp();
	CHECK(got(&one) == 3);
	CHECK(!ibv_destroy_flow(f) && !ibv_destroy_counters(c));
	close_raw();
}

Test(flow, its_qp_stays)
{
	struct rule r = rule_of(0);
	struct ibv_flow *f;

	open_raw();
	f = steer(&r, &one);
	CHECK(ibv_destroy_qp(one.qp) == EBUSY);
	CHECK(emu_live("flow") == 1);
	CHECK(!ibv_destroy_flow(f) && !emu_live("flow"));
	close_raw();
}

/* Each with what the kernel and its driver say to it */
Test(flow, what_is_refused)
{
	struct rule r = rule_of(16);
	struct ibv_flow_spec_ipv4_ext ttl = { .type = IBV_FLOW_SPEC_IPV4_EXT,
					      .size = sizeof(ttl),
					      .mask.ttl = 1 };
	struct ibv_flow_spec_eth type = { .type = IBV_FLOW_SPEC_ETH,
					  .size = sizeof(type),
					  .val.ether_type = htons(0x86dd),
					  .mask.ether_type = 0xffff };
	struct ibv_flow_spec_tcp_udp tcp = { .type = IBV_FLOW_SPEC_TCP, .size = sizeof(tcp) };
	struct ibv_flow_spec_tunnel vni = { .type = IBV_FLOW_SPEC_VXLAN_TUNNEL,
					    .size = sizeof(vni),
					    .mask.tunnel_id = htonl(1 << 24) };

	open_raw();
	CHECK(refused(&r) == ENOMEM);
	r = rule_of(0);
	r.attr.port = 9;
	CHECK(refused(&r) == EINVAL);
	r = rule_of(0);
	r.attr.type = IBV_FLOW_ATTR_SNIFFER + 1;
	CHECK(refused(&r) == EINVAL);
	r = rule_of(0);
	r.attr.flags = 1 << 5;
	CHECK(refused(&r) == EINVAL);
	r = rule_of(0);
	r.attr.flags = IBV_FLOW_ATTR_FLAGS_EGRESS;
	CHECK(refused(&r) == EOPNOTSUPP);
	r = rule_of(0);
	add(&r, &ttl, sizeof(ttl));
	CHECK(refused(&r) == EOPNOTSUPP);
	r = rule_of(0);
	add(&r, &type, sizeof(type));
	add(&r, &ip, sizeof(ip));
	CHECK(refused(&r) == EINVAL);
	r = rule_of(0);
	add(&r, &udp, sizeof(udp));
	add(&r, &tcp, sizeof(tcp));
	CHECK(refused(&r) == EINVAL);
	r = rule_of(0);
	add(&r, &vni, sizeof(vni));
	CHECK(refused(&r) == EINVAL);
	r = rule_of(0);
	add_tag(&r, 1 << 24);
	CHECK(refused(&r) == EINVAL);
	r = rule_of(0);
	CHECK(!ibv_create_flow(bed.a, &r.attr) && errno == EINVAL);
	close_raw();
}

Test(flow, infiniband_has_none)
{
	struct ibv_counters_init_attr counters = { 0 };
	struct rule r = rule_of(0);

	if (bed.ethernet)
		skip("of InfiniBand");
	CHECK(!ibv_create_counters(bed.ctx, &counters) && errno == EOPNOTSUPP);
	CHECK(!ibv_create_flow(bed.a, &r.attr) && errno == EOPNOTSUPP);
}
