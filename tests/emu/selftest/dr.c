/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* mlx5dv_dr at the root, whose rules are the kernel's to make; those of other tables are made by software, which needs more. */
#include "frames.h"
#include "mailbox.h"

TestSuite(dr, .init = open_alone, .fini = close_bed);

enum {
	ROOT,
	BELOW,
	OUTER = 1,
	PARAMETERS = 64,
	DESTINATION_MAC = 8, /* bytes */
	ALLOC_FLOW_COUNTER = 0x939,
	QUERY_FLOW_COUNTER = 0x93b,
	TAG = 77
};

/* A mask or a value: bytes of the match parameters */
struct parameters {
	size_t match_sz;
	uint64_t match_buf[PARAMETERS / 8];
};

static struct mlx5dv_dr_domain *domain;
static struct mlx5dv_dr_table *table;

static struct parameters parameters_of(const char mac[6])
{
	struct parameters p = { .match_sz = PARAMETERS };

	memcpy((char *)p.match_buf + DESTINATION_MAC, mac, 6);
	return p;
}

static void open_root(void)
{
	open_raw();
	domain = mlx5dv_dr_domain_create(bed.ctx, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	CHECK(domain);
	table = mlx5dv_dr_table_create(domain, ROOT);
	CHECK(table);
}

static void close_root(void)
{
	CHECK(!mlx5dv_dr_table_destroy(table) && !mlx5dv_dr_domain_destroy(domain));
	close_raw();
}

static struct mlx5dv_dr_matcher *make_matcher(uint16_t priority)
{
	struct parameters mask = parameters_of("\xff\xff\xff\xff\xff\xff");
	struct mlx5dv_dr_matcher *m = mlx5dv_dr_matcher_create(table, priority, OUTER, (void *)&mask);

	CHECK(m);
	return m;
}

/* For what send_udp() sends */
static struct mlx5dv_dr_rule *make_rule(struct mlx5dv_dr_matcher *m, size_t n, struct mlx5dv_dr_action *actions[])
{
	struct parameters value = parameters_of("\2\0\0\0\0\2");
	struct mlx5dv_dr_rule *r = mlx5dv_dr_rule_create(m, (void *)&value, n, actions);

	CHECK(r);
	return r;
}

Test(dr, a_rule_tags_and_leads_to_a_qp)
{
	struct mlx5dv_dr_action *actions[2];
	struct mlx5dv_dr_matcher *m;
	struct mlx5dv_dr_rule *r;
	uint32_t tag = 0;

	open_root();
	actions[0] = mlx5dv_dr_action_create_tag(TAG);
	actions[1] = mlx5dv_dr_action_create_dest_ibv_qp(one.qp);
	CHECK(actions[0] && actions[1]);
	m = make_matcher(1);
	r = make_rule(m, 2, actions);
	send_udp();
	CHECK(arrived(&one, &tag) == 1 && tag == TAG && !got(&two));
	CHECK(!mlx5dv_dr_rule_destroy(r));
	send_udp();
	CHECK(!got(&one));
	CHECK(!mlx5dv_dr_matcher_destroy(m));
	CHECK(!mlx5dv_dr_action_destroy(actions[0]) && !mlx5dv_dr_action_destroy(actions[1]));
	close_root();
}

Test(dr, the_lower_priority_value_drops_it)
{
	struct mlx5dv_dr_matcher *first, *second;
	struct mlx5dv_dr_rule *dropping, *leading;
	struct mlx5dv_dr_action *drop, *to;

	open_root();
	drop = mlx5dv_dr_action_create_drop();
	to = mlx5dv_dr_action_create_dest_ibv_qp(one.qp);
	CHECK(drop && to);
	first = make_matcher(0);
	second = make_matcher(1);
	dropping = make_rule(first, 1, &drop);
	leading = make_rule(second, 1, &to);
	send_udp();
	CHECK(!got(&one));
	CHECK(!mlx5dv_dr_rule_destroy(dropping));
	send_udp();
	CHECK(got(&one) == 1);
	CHECK(!mlx5dv_dr_rule_destroy(leading));
	CHECK(!mlx5dv_dr_matcher_destroy(first) && !mlx5dv_dr_matcher_destroy(second));
	CHECK(!mlx5dv_dr_action_destroy(drop) && !mlx5dv_dr_action_destroy(to));
	close_root();
}

Test(dr, a_counter_counts)
{
	struct mailbox made = mailbox_of(ALLOC_FLOW_COUNTER), m = mailbox_of(QUERY_FLOW_COUNTER);
	struct mlx5dv_dr_action *actions[2];
	struct mlx5dv_dr_matcher *matcher;
	struct mlx5dv_devx_obj *counter;
	struct mlx5dv_dr_rule *r;

	open_root();
	counter = mailbox_create(&made, 16);
	CHECK(counter);
	actions[0] = mlx5dv_dr_action_create_flow_counter(counter, 0);
	actions[1] = mlx5dv_dr_action_create_dest_ibv_qp(one.qp);
	CHECK(actions[0] && actions[1]);
	matcher = make_matcher(0);
	r = make_rule(matcher, 2, actions);
	send_udp();
	send_udp();
	CHECK(got(&one) == 2);
	mailbox_set(&m, 224, 32, mailbox_get(&made, 64, 32));
	CHECK(!mailbox_query(counter, &m, 32) && mailbox_get(&m, 128, 64) == 2 && mailbox_get(&m, 192, 64) == 2 * frame_len);
	CHECK(!mlx5dv_dr_rule_destroy(r) && !mlx5dv_dr_matcher_destroy(matcher));
	CHECK(!mlx5dv_dr_action_destroy(actions[0]) && !mlx5dv_dr_action_destroy(actions[1]));
	CHECK(!mlx5dv_devx_obj_destroy(counter));
	close_root();
}

Test(dr, a_table_below_the_root_is_refused)
{
	open_root();
	CHECK(!mlx5dv_dr_table_create(domain, BELOW) && errno == EOPNOTSUPP);
	close_root();
}
