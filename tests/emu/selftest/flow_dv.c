/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flows of mlx5dv: matchers, values, destinations, actions. */
#include <arpa/inet.h>

#include "frames.h"
#include "mailbox.h"

TestSuite(flow_dv, .init = open_alone, .fini = close_bed);

enum {
	OUTER = 1,
	MISC = 2,
	INNER = 4,
	PART = 64,
	PARAMETERS = 192
};

enum {
	ALLOC_FLOW_COUNTER = 0x939,
	QUERY_FLOW_COUNTER = 0x93b,
	MODIFY_SET = 1,
	MODIFY_ADD = 2,
	OUT_IP_TTL = 0xa,
	OUT_UDP_DPORT = 0xc
};

/* A mask or a value: bytes of the match parameters */
struct parameters {
	size_t match_sz;
	uint64_t match_buf[PARAMETERS / 8];
};

static void put(struct parameters *p, size_t byte, const char *bytes, size_t n)
{
	p->match_sz = PARAMETERS;
	memcpy((char *)p->match_buf + byte, bytes, n);
}

static struct mlx5dv_flow_matcher *try_matcher(struct parameters *mask, uint8_t enable, uint16_t priority,
					       uint32_t flags)
{
	struct mlx5dv_flow_matcher_attr a = { .type = IBV_FLOW_ATTR_NORMAL,
					      .flags = flags,
					      .priority = priority,
					      .match_criteria_enable = enable,
					      .match_mask = (void *)mask };

	mask->match_sz = PARAMETERS;
	return mlx5dv_create_flow_matcher(bed.ctx, &a);
}

static struct mlx5dv_flow_matcher *make_matcher(struct parameters *mask, uint8_t enable, uint16_t priority)
{
	struct mlx5dv_flow_matcher *m = try_matcher(mask, enable, priority, 0);

	CHECK(m);
	return m;
}

static struct ibv_flow *make_flow(struct mlx5dv_flow_matcher *m, struct parameters *value, size_t n,
				  struct mlx5dv_flow_action_attr *actions)
{
	struct ibv_flow *f;

	value->match_sz = PARAMETERS;
	f = mlx5dv_create_flow(m, (void *)value, n, actions);
	CHECK(f);
	return f;
}

static struct mlx5dv_flow_action_attr to(struct receiver *r)
{
	return (struct mlx5dv_flow_action_attr){ .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = r->qp };
}

static void end(struct ibv_flow *f, struct mlx5dv_flow_matcher *m)
{
	CHECK(!ibv_destroy_flow(f) && !mlx5dv_destroy_flow_matcher(m));
}

/* Bytes of the outer headers and what send_udp() has there */
static const struct {
	const char *name;
	size_t byte, size;
	const char *value;
} told[] = {
	{ "source MAC", 0, 6, "\2\0\0\0\0\1" },	     { "EtherType", 6, 2, "\x08\0" },
	{ "destination MAC", 8, 6, "\2\0\0\0\0\2" }, { "protocol", 16, 1, "\x11" },
	{ "DSCP and ECN", 17, 1, "\x20" },	     { "TTL", 27, 1, "\x40" },
	{ "UDP source", 28, 2, "\x3\xe8" },	     { "UDP destination", 30, 2, "\x7\xd0" },
	{ "source IP", 44, 4, "\xa\0\0\1" },	     { "destination IP", 60, 4, "\xa\0\0\2" },
};

Test(flow_dv, each_field_is_matched)
{
	open_raw();
	for (size_t i = 0; i < SIZE(told); i++) {
		struct parameters mask = { 0 }, value = { 0 };
		struct mlx5dv_flow_action_attr qp = to(&one), other = to(&two);
		struct mlx5dv_flow_matcher *m;
		struct ibv_flow *f, *g;
		char wrong[8];

		put(&mask, told[i].byte, "\xff\xff\xff\xff\xff\xff", told[i].size);
		put(&value, told[i].byte, told[i].value, told[i].size);
		m = make_matcher(&mask, OUTER, 0);
		f = make_flow(m, &value, 1, &qp);
		memcpy(wrong, told[i].value, told[i].size);
		wrong[told[i].size - 1] ^= 4;
		put(&value, told[i].byte, wrong, told[i].size);
		g = make_flow(m, &value, 1, &other);
		send_udp();
		cr_expect(got(&one) == 1 && !got(&two), "%s", told[i].name);
		CHECK(!ibv_destroy_flow(g));
		end(f, m);
	}
	close_raw();
}

Test(flow_dv, a_vlan_and_what_a_tunnel_carries)
{
	struct parameters mask = { 0 }, value = { 0 };
	struct mlx5dv_flow_action_attr qp = to(&one);
	struct mlx5dv_flow_matcher *m;
	struct ibv_flow *f;

	open_raw();
	qp = to(&one);
	put(&mask, 14, "\x0f\xff", 2); /* first_vid */
	put(&value, 14, "\x00\x07", 2);
	put(&mask, PART + 20, "\xff\xff\xff", 3); /* vxlan_vni */
	put(&value, PART + 20, "\x00\x00\x2a", 3);
	put(&mask, 2 * PART + 6, "\xff\xff", 2); /* the inner EtherType */
	put(&value, 2 * PART + 6, "\x86\xdd", 2);
	m = make_matcher(&mask, OUTER | MISC | INNER, 0);
	f = make_flow(m, &value, 1, &qp);
	for (uint32_t vni = 41; vni <= 42; vni++) {
		begin_frame(0x8100);
		word(0x00070800);
		ipv4(IPPROTO_UDP);
		ports(1000, 4789, 8);
		word(0x08000000);
		word(vni << 8);
		eth(0x86dd);
		ipv6(59);
		send_frame();
		cr_expect(got(&one) == (vni == 42), "VNI %u", vni);
	}
	end(f, m);
	close_raw();
}

Test(flow_dv, a_part_that_is_not_enabled_does_not_count)
{
	struct parameters mask = { 0 }, value = { 0 };
	struct mlx5dv_flow_action_attr qp;
	struct mlx5dv_flow_matcher *m;
	struct ibv_flow *f;

	open_raw();
	qp = to(&one);
	put(&mask, 6, "\xff\xff", 2);
	put(&value, 6, "\x86\xdd", 2);
	m = make_matcher(&mask, MISC, 0);
	f = make_flow(m, &value, 1, &qp);
	send_udp();
	CHECK(got(&one) == 1);
	end(f, m);
	close_raw();
}

Test(flow_dv, tag_drop_and_priority)
{
	struct parameters all = { 0 };
	struct mlx5dv_flow_action_attr tagged[2] = { { .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 77 } };
	struct mlx5dv_flow_action_attr drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct mlx5dv_flow_matcher *late, *early;
	struct ibv_flow *f, *d;
	uint32_t tag = 0;

	open_raw();
	tagged[1] = to(&one);
	late = make_matcher(&all, 0, 4);
	early = make_matcher(&all, 0, 3);
	f = make_flow(late, &all, 2, tagged);
	send_udp();
	CHECK(arrived(&one, &tag) == 1 && tag == 77);
	d = make_flow(early, &all, 1, &drop);
	send_udp();
	CHECK(!got(&one));
	end(d, early);
	end(f, late);
	close_raw();
}

Test(flow_dv, a_miss_goes_by_all_priorities)
{
	struct rule rest = rule_of(0);
	struct parameters all = { 0 };
	struct mlx5dv_flow_action_attr miss = { .type = MLX5DV_FLOW_ACTION_DEFAULT_MISS }, qp;
	struct mlx5dv_flow_matcher *first, *second;
	struct ibv_flow *f, *g, *h;

	open_raw();
	qp = to(&one);
	rest.attr.type = IBV_FLOW_ATTR_ALL_DEFAULT;
	first = make_matcher(&all, 0, 0);
	second = make_matcher(&all, 0, 1);
	f = make_flow(first, &all, 1, &miss);
	g = make_flow(second, &all, 1, &qp);
	h = steer(&rest, &two);
	send_udp();
	CHECK(!got(&one) && got(&two) == 1);
	CHECK(!ibv_destroy_flow(h));
	end(g, second);
	end(f, first);
	close_raw();
}

Test(flow_dv, a_counter_counts_packets_and_bytes)
{
	struct mailbox m = mailbox_of(ALLOC_FLOW_COUNTER), query = mailbox_of(QUERY_FLOW_COUNTER);
	struct mlx5dv_flow_action_attr actions[2] = { { .type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX } };
	struct mlx5dv_flow_matcher *matcher;
	struct parameters all = { 0 };
	struct ibv_flow *f;

	open_raw();
	actions[0].obj = mailbox_create(&m, 16);
	CHECK(actions[0].obj);
	actions[1] = to(&one);
	matcher = make_matcher(&all, 0, 0);
	f = make_flow(matcher, &all, 2, actions);
	send_udp();
	send_udp();
	CHECK(got(&one) == 2);
	mailbox_set(&query, 224, 32, mailbox_get(&m, 64, 32));
	CHECK(!mailbox_query(actions[0].obj, &query, 32));
	CHECK(mailbox_get(&query, 128, 64) == 2 && mailbox_get(&query, 192, 64) == 2 * frame_len);
	CHECK(mlx5dv_devx_obj_destroy(actions[0].obj) == EBUSY);
	end(f, matcher);
	CHECK(!mlx5dv_devx_obj_destroy(actions[0].obj));
	close_raw();
}

static __be64 modify(uint32_t type, uint32_t field, uint32_t data)
{
	return htobe64((uint64_t)(type << 28 | field << 16) << 32 | data);
}

/* What receiver one got last: its first receive WQE has it */
static const uint8_t *last(struct receiver *r)
{
	struct ibv_poll_cq_attr a = { 0 };
	const uint8_t *at;

	CHECK(!ibv_start_poll(r->cq, &a) && !r->cq->status);
	at = (const uint8_t *)bed.buf + 8192 + r->cq->wr_id * 256;
	ibv_end_poll(r->cq);
	return at;
}

Test(flow_dv, headers_are_modified)
{
	uint64_t changes[] = { modify(MODIFY_SET, OUT_UDP_DPORT, 4000),
			       modify(MODIFY_ADD, OUT_IP_TTL, 0xff) };
	struct mlx5dv_flow_action_attr actions[2] = { { .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION } };
	struct mlx5dv_flow_matcher *m;
	struct parameters all = { 0 };
	struct ibv_flow *f;
	const uint8_t *frame;
	uint32_t sum = 0;

	open_raw();
	actions[0].action = mlx5dv_create_flow_action_modify_header(bed.ctx, sizeof(changes), changes,
								    MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	CHECK(actions[0].action);
	actions[1] = to(&one);
	m = make_matcher(&all, 0, 0);
	f = make_flow(m, &all, 2, actions);
	send_udp();
	frame = last(&one);
	CHECK((frame[36] << 8 | frame[37]) == 4000 && frame[14 + 8] == 63);
	for (int i = 14; i < 34; i += 2)
		sum += frame[i] << 8 | frame[i + 1];
	CHECK((sum & 0xffff) + (sum >> 16) == 0xffff);
	CHECK(ibv_destroy_flow_action(actions[0].action) == EBUSY);
	end(f, m);
	CHECK(!ibv_destroy_flow_action(actions[0].action));
	close_raw();
}

/* Headers of VXLAN: Ethernet, IPv4, UDP, VXLAN */
static size_t tunnel(char *headers)
{
	begin_frame(0x0800);
	ipv4(IPPROTO_UDP);
	ports(5000, 4789, 8);
	word(0x08000000);
	word(7 << 8);
	memcpy(headers, bed.buf, frame_len);
	return frame_len;
}

Test(flow_dv, headers_go_on_and_come_off)
{
	struct mlx5dv_flow_action_attr on = { .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION };
	struct mlx5dv_flow_action_attr off[2] = { { .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION } };
	struct mlx5dv_flow_action_attr drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct mlx5dv_flow_matcher *out, *tunnels, *rest;
	struct parameters all = { 0 }, mask = { 0 }, value = { 0 };
	struct ibv_flow *f, *g, *h;
	char headers[128];
	size_t size;

	open_raw();
	size = tunnel(headers);
	on.action = mlx5dv_create_flow_action_packet_reformat(
		bed.ctx, size, headers, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL,
		MLX5DV_FLOW_TABLE_TYPE_NIC_TX);
	off[0].action = mlx5dv_create_flow_action_packet_reformat(
		bed.ctx, 0, NULL, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
		MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	CHECK(on.action && off[0].action);
	off[1] = to(&one);
	put(&mask, PART + 20, "\xff\xff\xff", 3);
	put(&value, PART + 20, "\x00\x00\x07", 3);
	out = try_matcher(&all, 0, 0, IBV_FLOW_ATTR_FLAGS_EGRESS);
	CHECK(out);
	tunnels = make_matcher(&mask, MISC, 0);
	rest = make_matcher(&all, 0, 1);
	f = make_flow(out, &all, 1, &on);
	g = make_flow(tunnels, &value, 2, off);
	h = make_flow(rest, &all, 1, &drop);
	send_udp();
	CHECK(got(&one) == 1); /* and it is what was sent */
	end(h, rest);
	end(g, tunnels);
	end(f, out);
	CHECK(!ibv_destroy_flow_action(on.action) && !ibv_destroy_flow_action(off[0].action));
	close_raw();
}

static int flow_error(struct mlx5dv_flow_matcher *m, size_t n, struct mlx5dv_flow_action_attr *actions)
{
	struct parameters all = { .match_sz = PARAMETERS };

	errno = 0;
	return mlx5dv_create_flow(m, (void *)&all, n, actions) ? 0 : errno;
}

Test(flow_dv, refusals)
{
	struct parameters all = { 0 }, register_c = { 0 };
	uint64_t copy = modify(3, OUT_IP_TTL, 0);
	struct mlx5dv_flow_action_attr bad[] = { { .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 1 },
						 { .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 1u << 24 } };
	struct mlx5dv_flow_action_attr qp, drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct mlx5dv_flow_matcher *m, *out;
	struct ibv_flow *f;

	open_raw();
	qp = to(&one);
	put(&register_c, PART + 4, "\xff", 1); /* source_eswitch_owner_vhca_id */
	CHECK(!try_matcher(&register_c, MISC, 0, 0) && errno == EOPNOTSUPP);
	CHECK(!try_matcher(&all, 0, 16, 0) && errno == ENOMEM);
	CHECK(!mlx5dv_create_flow_action_modify_header(bed.ctx, 8, &copy, MLX5DV_FLOW_TABLE_TYPE_NIC_RX) &&
	      errno == EOPNOTSUPP);
	m = make_matcher(&all, 0, 0);
	out = try_matcher(&all, 0, 0, IBV_FLOW_ATTR_FLAGS_EGRESS);
	CHECK(out);
	CHECK(flow_error(m, 1, bad) == EINVAL); /* it goes nowhere */
	CHECK(flow_error(m, 1, bad + 1) == EINVAL);
	CHECK(flow_error(out, 1, &qp) == EINVAL);
	f = make_flow(m, &all, 1, &qp);
	CHECK(flow_error(m, 1, &drop) == EEXIST);
	CHECK(mlx5dv_destroy_flow_matcher(m) == EBUSY);
	end(f, m);
	CHECK(!mlx5dv_destroy_flow_matcher(out));
	close_raw();
}

/* The kernel has room for so many parts, of which there are here but three */
Test(flow_dv, how_long_parameters_are)
{
	static const struct {
		size_t size;
		int error;
	} of[] = { { 0, EINVAL }, { 1, 0 }, { PARAMETERS, 0 }, { 512, 0 }, { 513, EINVAL }, { 4096, EINVAL } };
	struct {
		size_t size;
		uint64_t bits[512];
	} p = { .size = PARAMETERS };
	struct mlx5dv_flow_matcher_attr a = { .match_mask = (void *)&p };
	struct mlx5dv_flow_action_attr drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct mlx5dv_flow_matcher *m, *other;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	m = mlx5dv_create_flow_matcher(bed.ctx, &a);
	CHECK(m);
	for (size_t i = 0; i < SIZE(of); i++) {
		struct ibv_flow *f;

		p.size = of[i].size;
		errno = 0;
		other = mlx5dv_create_flow_matcher(bed.ctx, &a);
		cr_expect_eq(other ? 0 : errno, of[i].error, "a mask of %zu", p.size);
		CHECK(!other || !mlx5dv_destroy_flow_matcher(other));
		errno = 0;
		f = mlx5dv_create_flow(m, (void *)&p, 1, &drop);
		cr_expect_eq(f ? 0 : errno, of[i].error, "a value of %zu", p.size);
		CHECK(!f || !ibv_destroy_flow(f));
	}
	CHECK(!mlx5dv_destroy_flow_matcher(m));
}

/* Bits of the capabilities, and what of the parameters they are for */
Test(flow_dv, what_can_be_matched_is_told)
{
	static const struct {
		int bit, byte;
		uint8_t enable;
	} of[] = { { 0, 8, OUTER }, { 19, 30, OUTER }, { 11, PART + 31, MISC }, { 39, 2 * PART + 27, 4 }, { 24, PART + 24, MISC },
		   { 30, PART + 4, MISC }, { 14, 18, OUTER }, { 87, PART + 48, MISC } };
	struct mailbox m = mailbox_of(0x100);

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	mailbox_set(&m, 48, 16, 7 << 1);
	CHECK(mlx5dv_devx_general_cmd(bed.ctx, m.in, 16, m.out, 300) == EINVAL); /* not all of it fits */
	CHECK(!mailbox_command(&m, 16));
	for (size_t i = 0; i < SIZE(of); i++) {
		struct parameters mask = { 0 };
		struct mlx5dv_flow_matcher *matcher;

		put(&mask, of[i].byte, of[i].byte == 18 ? "\x20" : "\x01", 1);
		matcher = try_matcher(&mask, of[i].enable, 0, 0);
		for (int at = 896; at < 896 + 256; at += 128) /* and by single bits */
			cr_expect_eq(mailbox_get(&m, at + of[i].bit, 1), !!matcher, "bit %d", of[i].bit);
		CHECK(!matcher || !mlx5dv_destroy_flow_matcher(matcher));
	}
}

/* As in the real driver, all of a priority are one table */
Test(flow_dv, an_anchor_is_the_table_of_a_priority)
{
	struct mlx5dv_steering_anchor_attr a = { .ft_type = MLX5DV_FLOW_TABLE_TYPE_NIC_RX, .priority = 1 };
	struct mlx5dv_steering_anchor *one, *same, *other;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	one = mlx5dv_create_steering_anchor(bed.ctx, &a);
	same = mlx5dv_create_steering_anchor(bed.ctx, &a);
	a.priority = 2;
	other = mlx5dv_create_steering_anchor(bed.ctx, &a);
	CHECK(one && same && other && one->id && one->id == same->id && one->id != other->id);
	CHECK(!mlx5dv_destroy_steering_anchor(one) && !mlx5dv_destroy_steering_anchor(same));
	CHECK(!mlx5dv_destroy_steering_anchor(other));
	a.priority = 16;
	CHECK(!mlx5dv_create_steering_anchor(bed.ctx, &a) && errno == ENOMEM);
	a = (struct mlx5dv_steering_anchor_attr){ .ft_type = MLX5DV_FLOW_TABLE_TYPE_FDB };
	CHECK(!mlx5dv_create_steering_anchor(bed.ctx, &a) && errno == EOPNOTSUPP);
}
