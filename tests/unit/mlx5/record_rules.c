/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Direct rules and their actions, by functions in the place of libmlx5's that take down what they are given: what each uses is ended after it. */

#include <errno.h>

#include <verbsx/mlx5.h>

#include "ended.h"

TestSuite(mlx5_rules, .init = open_device, .fini = close_device);

static int made_of;
static void *last[4];

enum { DOMAIN = 1, TABLE, MATCHER, RULE, DROP, TAG, TO_TABLE, TO_QP, SAMPLER };

static struct mlx5dv_dr_domain *domain_create(struct ibv_context *context, enum mlx5dv_dr_domain_type type)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(type, MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
	return RAW(DOMAIN);
}

static int domain_destroy(struct mlx5dv_dr_domain *domain)
{
	end(domain);
	return 0;
}

static struct mlx5dv_dr_table *table_create(struct mlx5dv_dr_domain *domain, uint32_t level)
{
	cr_expect_eq((void *)domain, RAW(DOMAIN));
	cr_expect_eq(level, 3);
	return RAW(TABLE);
}

static int table_destroy(struct mlx5dv_dr_table *table)
{
	end(table);
	return 0;
}

static struct mlx5dv_flow_match_parameters *given_mask;

static struct mlx5dv_dr_matcher *matcher_create(struct mlx5dv_dr_table *table, uint16_t priority, uint8_t enable,
						struct mlx5dv_flow_match_parameters *mask)
{
	cr_expect_eq((void *)table, RAW(TABLE));
	cr_expect_eq(priority, 5);
	cr_expect_eq(enable, 1);
	given_mask = mask;
	return RAW(MATCHER);
}

static int matcher_destroy(struct mlx5dv_dr_matcher *matcher)
{
	end(matcher);
	return 0;
}

static struct mlx5dv_dr_rule *rule_create(struct mlx5dv_dr_matcher *matcher, struct mlx5dv_flow_match_parameters *value, size_t count,
					  struct mlx5dv_dr_action *actions[])
{
	size_t i;

	cr_expect_eq((void *)matcher, RAW(MATCHER));
	cr_expect_not_null(value);
	made_of = (int)count;
	for (i = 0; i < count; i++)
		last[i] = actions[i];
	return RAW(RULE);
}

static int rule_destroy(struct mlx5dv_dr_rule *rule)
{
	end(rule);
	return 0;
}

static struct mlx5dv_dr_action *drop(void)
{
	return RAW(DROP);
}

static struct mlx5dv_dr_action *tag(uint32_t value)
{
	cr_expect_eq(value, 42);
	return RAW(TAG);
}

static struct mlx5dv_dr_action *to_table(struct mlx5dv_dr_table *table)
{
	cr_expect_eq((void *)table, RAW(TABLE));
	return RAW(TO_TABLE);
}

static struct mlx5dv_dr_action *to_qp(struct ibv_qp *raw)
{
	last[3] = raw;
	return RAW(TO_QP);
}

static int action_destroy(struct mlx5dv_dr_action *action)
{
	end(action);
	return 0;
}

static struct vx_mlx5_dr_domain *domain;
static struct vx_mlx5_dr_table *table;
static struct vx_mlx5_dr_matcher *matcher;

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint64_t bits[4];
} bits = { .parameters = { .match_sz = 32 } };

static void open_rules(void)
{
	struct vx_mlx5_dr_matcher_init init = { .priority = 5, .match_criteria_enable = 1, .mask = &bits.parameters };

	replace("mlx5dv_dr_domain_create", domain_create);
	replace("mlx5dv_dr_domain_destroy", domain_destroy);
	replace("mlx5dv_dr_table_create", table_create);
	replace("mlx5dv_dr_table_destroy", table_destroy);
	replace("mlx5dv_dr_matcher_create", matcher_create);
	replace("mlx5dv_dr_matcher_destroy", matcher_destroy);
	replace("mlx5dv_dr_rule_create", rule_create);
	replace("mlx5dv_dr_rule_destroy", rule_destroy);
	replace("mlx5dv_dr_action_create_drop", drop);
	replace("mlx5dv_dr_action_create_tag", tag);
	replace("mlx5dv_dr_action_create_dest_table", to_table);
	replace("mlx5dv_dr_action_create_dest_ibv_qp", to_qp);
	replace("mlx5dv_dr_action_destroy", action_destroy);
	made(vx_mlx5_dr_domain_create(ctx, &(struct vx_mlx5_dr_domain_init){ .type = MLX5DV_DR_DOMAIN_TYPE_NIC_TX }, &domain));
	made(vx_mlx5_dr_table_create(domain, &(struct vx_mlx5_dr_table_init){ .level = 3 }, &table));
	made(vx_mlx5_dr_matcher_create(table, &init, &matcher));
	cr_expect_eq(given_mask, &bits.parameters);
}

Test(mlx5_rules, closing_a_domain_ends_what_is_in_it_first)
{
	open_rules();
	made(vx_close(domain));
	cr_assert_eq(ended_of, 3);
	cr_expect_eq(ended[0], MATCHER);
	cr_expect_eq(ended[1], TABLE);
	cr_expect_eq(ended[2], DOMAIN);
}

Test(mlx5_rules, a_rule_has_its_actions_in_their_order_and_goes_before_any_of_them)
{
	struct vx_mlx5_dr_action *actions[2];
	struct vx_mlx5_dr_rule *rule;
	struct vx_mlx5_dr_rule_init init = { .value = &bits.parameters, .actions = actions, .num_actions = 2 };

	open_rules();
	made(vx_mlx5_dr_tag_create(ctx, &(struct vx_mlx5_dr_tag_init){ .tag_value = 42 }, &actions[0]));
	made(vx_mlx5_dr_drop_create(ctx, NULL, &actions[1]));
	made(vx_mlx5_dr_rule_create(matcher, &init, &rule));
	cr_expect_eq(made_of, 2);
	cr_expect_eq(last[0], RAW(TAG));
	cr_expect_eq(last[1], RAW(DROP));
	made(vx_close(actions[0]));
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], RULE);
	cr_expect_eq(ended[1], TAG);
}

Test(mlx5_rules, a_rule_of_an_action_that_is_null_is_refused)
{
	struct vx_mlx5_dr_action *actions[1] = { NULL };
	struct vx_mlx5_dr_rule *rule = NULL;
	struct vx_mlx5_dr_rule_init init = { .value = &bits.parameters, .actions = actions, .num_actions = 1 };

	open_rules();
	cr_expect_eq(vx_mlx5_dr_rule_create(matcher, &init, &rule), -EINVAL);
	expect_reason("actions[0]");
	init.value = NULL;
	cr_expect_eq(vx_mlx5_dr_rule_create(matcher, &init, &rule), -EINVAL);
	expect_reason("value is NULL");
	cr_expect_null(rule);
}

/* libmlx5 holds no reference on either. */
Test(mlx5_rules, an_action_goes_before_the_table_or_the_qp_that_it_leads_to)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_UD };
	struct vx_mlx5_dr_action *action;
	struct vx_qp *qp;

	open_rules();
	made(vx_mlx5_dr_dest_table_create(table, NULL, &action));
	made(vx_close(table));
	cr_expect_eq(ended[0] + ended[1], TO_TABLE + MATCHER);
	cr_expect_eq(ended[2], TABLE);
	ended_of = 0;
	made(vx_cq_create(ctx, NULL, &init.send_cq));
	init.recv_cq = init.send_cq;
	made(vx_qp_create(pd, &init, &qp));
	made(vx_mlx5_dr_dest_qp_create(qp, NULL, &action));
	cr_expect_eq(last[3], vx_qp_raw(qp));
	made(vx_close(qp));
	cr_assert_eq(ended_of, 1);
	cr_expect_eq(ended[0], TO_QP);
}

static struct mlx5dv_dr_action *sampler(struct mlx5dv_dr_flow_sampler_attr *attr)
{
	cr_expect_eq(attr->sample_ratio, 7);
	cr_expect_eq((void *)attr->default_next_table, RAW(TABLE));
	cr_assert_eq(attr->num_sample_actions, 2);
	last[0] = attr->sample_actions[0];
	last[1] = attr->sample_actions[1];
	return RAW(SAMPLER);
}

Test(mlx5_rules, a_sampler_goes_before_its_actions_and_its_table)
{
	struct vx_mlx5_dr_action *actions[2], *action;
	struct vx_mlx5_dr_sampler_init init = { .sample_ratio = 7, .sample_actions = actions, .num_sample_actions = 2 };

	open_rules();
	replace("mlx5dv_dr_action_create_flow_sampler", sampler);
	made(vx_mlx5_dr_tag_create(ctx, &(struct vx_mlx5_dr_tag_init){ .tag_value = 42 }, &actions[0]));
	made(vx_mlx5_dr_drop_create(ctx, NULL, &actions[1]));
	cr_expect_eq(vx_mlx5_dr_sampler_create(ctx, &init, &action), -EINVAL);
	expect_reason("default_next_table is NULL");
	init.default_next_table = table;
	made(vx_mlx5_dr_sampler_create(ctx, &init, &action));
	cr_expect_eq(last[0], RAW(TAG));
	cr_expect_eq(last[1], RAW(DROP));
	made(vx_close(actions[1]));
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], SAMPLER);
	cr_expect_eq(ended[1], DROP);
}
