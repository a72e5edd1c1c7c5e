/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flows of mlx5dv: matchers, values, destinations. */
#include <arpa/inet.h>

#include "mailbox.h"
#include "matchers.h"

TestSuite(flow_dv, .init = open_alone, .fini = close_bed);

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
		struct mlx5dv_flow_action_attr qp = to_receiver(&one), other = to_receiver(&two);
		struct mlx5dv_flow_matcher *m;
		struct ibv_flow *f, *g;
		char wrong[8];

		put_bytes(&mask, told[i].byte, "\xff\xff\xff\xff\xff\xff", told[i].size);
		put_bytes(&value, told[i].byte, told[i].value, told[i].size);
		m = make_matcher(&mask, OUTER, 0);
		f = make_flow(m, &value, 1, &qp);
		memcpy(wrong, told[i].value, told[i].size);
		wrong[told[i].size - 1] ^= 4;
		put_bytes(&value, told[i].byte, wrong, told[i].size);
		g = make_flow(m, &value, 1, &other);
		send_udp();
		cr_expect(got(&one) == 1 && !got(&two), "%s", told[i].name);
		CHECK(!ibv_destroy_flow(g));
		end_flow(f, m);
	}
	close_raw();
}

Test(flow_dv, a_vlan_and_what_a_tunnel_carries)
{
	struct parameters mask = { 0 }, value = { 0 };
	struct mlx5dv_flow_action_attr qp = to_receiver(&one);
	struct mlx5dv_flow_matcher *m;
	struct ibv_flow *f;

	open_raw();
	qp = to_receiver(&one);
	put_bytes(&mask, 14, "\x0f\xff", 2); /* first_vid */
	put_bytes(&value, 14, "\x00\x07", 2);
	put_bytes(&mask, PART + 20, "\xff\xff\xff", 3); /* vxlan_vni */
	put_bytes(&value, PART + 20, "\x00\x00\x2a", 3);
	put_bytes(&mask, 2 * PART + 6, "\xff\xff", 2); /* the inner EtherType */
	put_bytes(&value, 2 * PART + 6, "\x86\xdd", 2);
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
	end_flow(f, m);
	close_raw();
}

Test(flow_dv, a_part_that_is_not_enabled_does_not_count)
{
	struct parameters mask = { 0 }, value = { 0 };
	struct mlx5dv_flow_action_attr qp;
	struct mlx5dv_flow_matcher *m;
	struct ibv_flow *f;

	open_raw();
	qp = to_receiver(&one);
	put_bytes(&mask, 6, "\xff\xff", 2);
	put_bytes(&value, 6, "\x86\xdd", 2);
	m = make_matcher(&mask, MISC, 0);
	f = make_flow(m, &value, 1, &qp);
	send_udp();
	CHECK(got(&one) == 1);
	end_flow(f, m);
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
	tagged[1] = to_receiver(&one);
	late = make_matcher(&all, 0, 4);
	early = make_matcher(&all, 0, 3);
	f = make_flow(late, &all, 2, tagged);
	send_udp();
	CHECK(arrived(&one, &tag) == 1 && tag == 77);
	d = make_flow(early, &all, 1, &drop);
	send_udp();
	CHECK(!got(&one));
	end_flow(d, early);
	end_flow(f, late);
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
	qp = to_receiver(&one);
	rest.attr.type = IBV_FLOW_ATTR_ALL_DEFAULT;
	first = make_matcher(&all, 0, 0);
	second = make_matcher(&all, 0, 1);
	f = make_flow(first, &all, 1, &miss);
	g = make_flow(second, &all, 1, &qp);
	h = steer(&rest, &two);
	send_udp();
	CHECK(!got(&one) && got(&two) == 1);
	CHECK(!ibv_destroy_flow(h));
	end_flow(g, second);
	end_flow(f, first);
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
	uint64_t copy = change_of(MODIFY_COPY, OUT_IP_TTL, 0);
	struct mlx5dv_flow_action_attr bad[] = { { .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 1 },
						 { .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 1u << 24 } };
	struct mlx5dv_flow_action_attr qp, drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct mlx5dv_flow_matcher *m, *out;
	struct ibv_flow *f;

	open_raw();
	qp = to_receiver(&one);
	put_bytes(&register_c, PART + 4, "\xff", 1); /* source_eswitch_owner_vhca_id */
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
	end_flow(f, m);
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

		put_bytes(&mask, of[i].byte, of[i].byte == 18 ? "\x20" : "\x01", 1);
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
