/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why rules are refused: what they match beside the mask of the matcher, and their actions. libmlx5's functions are replaced by some that refuse. */

#include <errno.h>

#include <verbsx/mlx5.h>

#include "unit/mlx5/ended.h"

TestSuite(refused_rules, .init = open_device, .fini = close_device);

static int code;

/* In the place of whatever makes one: another address each time. */
static void *make(void)
{
	static uintptr_t last = 0x1000;

	return (void *)++last;
}

static void *make_none(void)
{
	errno = code;
	return NULL;
}

static int destroy(void *raw)
{
	(void)raw;
	return 0;
}

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint8_t bits[512];
} mask = { .parameters = { .match_sz = 192 } }, value = { .parameters = { .match_sz = 192 } };

enum { PROTOCOL = 0x10, IP_VERSION = 0x12, TCP_DPORT = 0x16, SRC_IP = 0x20, MISC = 64, INNER = 128 };

static struct vx_mlx5_dr_domain *domain;
static struct vx_mlx5_dr_table *table;
static struct vx_mlx5_dr_matcher *matcher;

/* A matcher of outer and inner headers, in a table of a level. */
static void open_matcher(uint32_t level)
{
	static const char *const made_by[] = {
		"mlx5dv_dr_domain_create", "mlx5dv_dr_table_create", "mlx5dv_dr_matcher_create", "mlx5dv_dr_action_create_drop",
		"mlx5dv_dr_action_create_tag", "mlx5dv_dr_action_create_dest_table", "mlx5dv_dr_action_create_pop_vlan",
		"mlx5dv_dr_action_create_push_vlan", "mlx5dv_dr_action_create_modify_header",
	};
	static const char *const ended_by[] = { "mlx5dv_dr_domain_destroy", "mlx5dv_dr_table_destroy", "mlx5dv_dr_matcher_destroy",
						"mlx5dv_dr_action_destroy" };
	const struct vx_mlx5_dr_matcher_init init = { .match_criteria_enable = 5, .mask = &mask.parameters };
	size_t i;

	for (i = 0; i < sizeof(made_by) / sizeof(made_by[0]); i++)
		replace(made_by[i], make);
	for (i = 0; i < sizeof(ended_by) / sizeof(ended_by[0]); i++)
		replace(ended_by[i], destroy);
	replace("mlx5dv_dr_rule_create", make_none);
	made(vx_mlx5_dr_domain_create(ctx, NULL, &domain));
	made(vx_mlx5_dr_table_create(domain, &(struct vx_mlx5_dr_table_init){ .level = level }, &table));
	made(vx_mlx5_dr_matcher_create(table, &init, &matcher));
}

static void expect_refused(struct vx_mlx5_dr_action **actions, size_t count, int errno_of, const char *why)
{
	const struct vx_mlx5_dr_rule_init init = { .value = &value.parameters, .actions = actions, .num_actions = count };
	struct vx_mlx5_dr_rule *rule;

	code = errno_of;
	cr_expect_eq(vx_mlx5_dr_rule_create(matcher, &init, &rule), -errno_of);
	expect_reason(why);
}

static struct vx_mlx5_dr_action *tag(void)
{
	struct vx_mlx5_dr_action *action;

	made(vx_mlx5_dr_tag_create(ctx, &(struct vx_mlx5_dr_tag_init){ .tag_value = 1 }, &action));
	return action;
}

static struct vx_mlx5_dr_action *drop(void)
{
	struct vx_mlx5_dr_action *action;

	made(vx_mlx5_dr_drop_create(ctx, NULL, &action));
	return action;
}

/* ---- what is matched ---- */

Test(refused_rules, a_bit_beside_the_mask_is_named)
{
	struct vx_mlx5_dr_action *actions[1];

	memset(mask.bits + TCP_DPORT, 0xff, 1);
	open_matcher(1);
	actions[0] = drop();
	value.bits[TCP_DPORT] = 0x12;
	value.bits[TCP_DPORT + 1] = 0x34;
	expect_refused(actions, 1, EINVAL, "byte 23 has 0x34, which the mask lacks");
	value.bits[TCP_DPORT + 1] = 0;
	value.bits[MISC + 3] = 1; /* which the matcher does not look at */
	value.bits[INNER + 1] = 2;
	expect_refused(actions, 1, EINVAL, "byte 129 has 0x2, which the mask lacks");
	expect_refused(actions, 1, ENOMEM, "Cannot allocate memory"); /* for which it is no reason */
	cr_expect_null(strstr(vx_error_text(), "mask"));
}

Test(refused_rules, sizes_that_nothing_matches_are_told)
{
	struct vx_mlx5_dr_action *actions[1];

	open_matcher(1);
	actions[0] = drop();
	value.parameters.match_sz = 446;
	expect_refused(actions, 1, EINVAL, "match_sz = 446, and a rule's is in words of 4 bytes");
	value.parameters.match_sz = 516;
	expect_refused(actions, 1, EINVAL, "match_sz = 516, and rules match up to 512 bytes, or 448 behind a root table");
}

Test(refused_rules, one_address_family_is_matched)
{
	struct vx_mlx5_dr_action *actions[1];
	struct vx_mlx5_dr_matcher *other;

	memset(mask.bits + INNER + SRC_IP, 0xff, 16);
	mask.bits[INNER + IP_VERSION] = 0x1e;
	open_matcher(1);
	actions[0] = drop();
	value.bits[INNER + IP_VERSION] = 4 << 1;
	expect_refused(actions, 1, EINVAL, "inner headers have ip_version 4, and bits of IPv6 addresses in the mask");
	value.bits[INNER + IP_VERSION] = 6 << 1;
	expect_refused(actions, 1, EINVAL, "Invalid argument");
	cr_expect_null(strstr(vx_error_text(), "ip_version"));
	mask.bits[INNER + IP_VERSION] = 4 << 1;
	replace("mlx5dv_dr_matcher_create", make_none);
	code = EOPNOTSUPP;
	cr_expect_eq(vx_mlx5_dr_matcher_create(table, &(struct vx_mlx5_dr_matcher_init){ .match_criteria_enable = 4, .mask = &mask.parameters }, &other), -EOPNOTSUPP);
	expect_reason("inner headers have ip_version 4, and bits of IPv6 addresses in the mask");
	replace("mlx5dv_create_flow_matcher", make_none);
	memset(mask.bits + SRC_IP, 0xff, 16);
	mask.bits[IP_VERSION] = 4 << 1;
	code = EINVAL;
	cr_expect_eq(vx_mlx5_flow_matcher_create(ctx, &(struct vx_mlx5_flow_matcher_init){ .match_criteria_enable = 5, .match_mask = &mask.parameters },
						 &(struct vx_mlx5_flow_matcher *){ NULL }), -EINVAL);
	expect_reason("outer headers have ip_version 4");
}

Test(refused_rules, bits_that_nobody_would_look_at_are_refused)
{
	struct vx_mlx5_flow_matcher *flows;
	struct vx_mlx5_dr_matcher *other;

	open_matcher(0);
	mask.bits[MISC + 3] = 1;
	mask.bits[INNER] = 1;
	cr_expect_eq(vx_mlx5_dr_matcher_create(table, &(struct vx_mlx5_dr_matcher_init){ .match_criteria_enable = 1, .mask = &mask.parameters }, &other), -EINVAL);
	expect_reason("match_criteria_enable lacks 0x6, and mask has bits there, which nobody would look at");
	cr_expect_eq(vx_mlx5_flow_matcher_create(ctx, &(struct vx_mlx5_flow_matcher_init){ .match_criteria_enable = 3, .match_mask = &mask.parameters }, &flows),
		     -EINVAL);
	expect_reason("match_criteria_enable lacks 0x4, and match_mask has bits there, which nobody would look at");
	made(vx_mlx5_dr_matcher_create(table, &(struct vx_mlx5_dr_matcher_init){ .match_criteria_enable = 0x46, .mask = &mask.parameters }, &other));
}

/* libmlx5 copies what is left of a part, which would be less than nothing. */
Test(refused_rules, a_rule_that_ends_before_a_part_is_refused_behind_the_root)
{
	struct vx_mlx5_dr_action *actions[1];

	open_matcher(1);
	actions[0] = drop();
	value.parameters.match_sz = 64;
	expect_refused(actions, 1, EINVAL, "value ends before a part that the matcher looks at");
	value.parameters.match_sz = 132;
	expect_refused(actions, 1, ENOMEM, "Cannot allocate memory");
	value.parameters.match_sz = 0; /* it is not looked at */
	expect_refused(actions, 1, ENOMEM, "Cannot allocate memory");
}

Test(refused_rules, a_rule_of_the_root_may_end_anywhere)
{
	struct vx_mlx5_dr_action *actions[1];

	open_matcher(0);
	actions[0] = drop();
	value.parameters.match_sz = 64;
	expect_refused(actions, 1, ENOMEM, "Cannot allocate memory");
}

Test(refused_rules, ports_take_a_protocol)
{
	struct vx_mlx5_dr_action *actions[1];

	memset(mask.bits + INNER + TCP_DPORT, 0xff, 2);
	mask.bits[INNER + PROTOCOL] = 0xff;
	open_matcher(1);
	actions[0] = drop();
	value.bits[INNER + PROTOCOL] = 17;
	expect_refused(actions, 1, EINVAL, "inner headers have ports of TCP in the mask, which take ip_protocol = 6 beside them");
	value.bits[INNER + PROTOCOL] = 6;
	expect_refused(actions, 1, EINVAL, "Invalid argument");
	cr_expect_null(strstr(vx_error_text(), "ports"));
}

/* Behind a root table; the kernel takes any bits of it. */
Test(refused_rules, libmlx5_takes_a_version_for_its_mask)
{
	const struct vx_mlx5_dr_matcher_init init = { .match_criteria_enable = 4, .mask = &mask.parameters };
	struct vx_mlx5_dr_matcher *other;

	open_matcher(1);
	mask.bits[INNER + IP_VERSION] = 0xf << 1;
	replace("mlx5dv_dr_matcher_create", make_none);
	code = EOPNOTSUPP;
	cr_expect_eq(vx_mlx5_dr_matcher_create(table, &init, &other), -EOPNOTSUPP);
	expect_reason("inner headers have ip_version 15 in the mask, which behind a root table is that of the rules, 4 or 6");
	mask.bits[INNER + IP_VERSION] = 6 << 1;
	cr_expect_eq(vx_mlx5_dr_matcher_create(table, &init, &other), -EOPNOTSUPP);
	expect_reason("the device may not match all that the mask has bits of");
}

Test(refused_rules, parts_that_are_none_are_told)
{
	struct vx_mlx5_dr_matcher *other;

	open_matcher(0);
	replace("mlx5dv_dr_matcher_create", make_none);
	code = EINVAL;
	cr_expect_eq(vx_mlx5_dr_matcher_create(table, &(struct vx_mlx5_dr_matcher_init){ .match_criteria_enable = 0x81, .mask = &mask.parameters }, &other), -EINVAL);
	expect_reason("match_criteria_enable has 0x80, and the last part is 0x40");
	code = EOPNOTSUPP;
	cr_expect_eq(vx_mlx5_dr_matcher_create(table, &(struct vx_mlx5_dr_matcher_init){ .match_criteria_enable = 0x49, .mask = &mask.parameters }, &other), -EOPNOTSUPP);
	expect_reason("the device or the kernel may not know the parts 0x48 of match_criteria_enable");
}

/* ---- what is done ---- */

Test(refused_rules, two_destinations_are_named)
{
	struct vx_mlx5_dr_action *actions[4] = { NULL };

	open_matcher(0);
	actions[0] = drop();
	actions[1] = tag();
	made(vx_mlx5_dr_dest_table_create(table, NULL, &actions[2]));
	actions[3] = tag();
	expect_refused(actions, 3, EOPNOTSUPP, "actions[0] and actions[2] are destinations, and a rule has one");
	actions[0] = actions[1];
	actions[1] = actions[3];
	expect_refused(actions, 2, EINVAL, "actions[0] and actions[1] are tags, and a rule has one");
}

Test(refused_rules, actions_out_of_their_order_are_named_behind_the_root)
{
	struct vx_mlx5_dr_action *actions[2];

	open_matcher(2);
	made(vx_mlx5_dr_push_vlan_create(domain, NULL, &actions[0]));
	made(vx_mlx5_dr_pop_vlan_create(ctx, NULL, &actions[1]));
	expect_refused(actions, 2, EOPNOTSUPP, "actions[1] must come before actions[0]: pop, change headers, push, destination");
	actions[0] = drop();
	actions[1] = tag();
	expect_refused(actions, 2, EOPNOTSUPP, "actions[1] must come before actions[0]");
	made(vx_close(domain));
	open_matcher(0); /* whose rules are the kernel's, which takes any order */
	expect_refused(actions, 2, EOPNOTSUPP, "Operation not supported");
	cr_expect_null(strstr(vx_error_text(), "before"));
}

Test(refused_rules, actions_of_another_domain_are_named)
{
	struct vx_mlx5_dr_action *actions[2];

	open_matcher(2);
	made(vx_mlx5_dr_dest_table_create(table, NULL, &actions[1]));
	open_matcher(2);
	actions[0] = tag();
	expect_refused(actions, 2, EINVAL, "actions[1] is of another domain than the matcher");
}

/* ---- flows ---- */

static struct vx_mlx5_flow_matcher *flow_matcher(void)
{
	struct vx_mlx5_flow_matcher *made_one;

	replace("mlx5dv_create_flow_matcher", make);
	replace("mlx5dv_destroy_flow_matcher", destroy);
	made(vx_mlx5_flow_matcher_create(ctx, &(struct vx_mlx5_flow_matcher_init){ .match_criteria_enable = 1, .match_mask = &mask.parameters }, &made_one));
	return made_one;
}

static void expect_no_flow(struct vx_mlx5_flow_matcher *of, const struct vx_mlx5_flow_action *actions, size_t count, int errno_of, const char *why)
{
	const struct vx_mlx5_flow_init init = { .match_value = &value.parameters, .actions = actions, .num_actions = count };

	code = errno_of;
	cr_expect_eq(vx_mlx5_flow_create(of, &init, &(struct vx_flow *){ NULL }), -errno_of);
	expect_reason(why);
}

static struct vx_qp *new_rc_qp(void)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

Test(refused_rules, flows_are_told_the_same)
{
	struct vx_mlx5_flow_action actions[10] = { { .type = MLX5DV_FLOW_ACTION_DROP }, { .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 3 },
						   { .type = MLX5DV_FLOW_ACTION_DEFAULT_MISS } };
	struct ibv_flow_action raw = { .context = vx_ctx_raw(ctx) };
	struct vx_flow_action *other;
	struct vx_mlx5_flow_matcher *of = flow_matcher();
	size_t i;

#if VX_RDMA_CORE >= 63
	replace("__mlx5dv_create_flow", make_none);
#else
	replace("mlx5dv_create_flow", make_none);
#endif
	value.bits[TCP_DPORT] = 1;
	expect_no_flow(of, actions, 2, EINVAL, "byte 22 has 0x1, which the mask lacks");
	value.bits[TCP_DPORT] = 0;
	expect_no_flow(of, actions + 1, 1, EINVAL, "the actions may lead nowhere");
	actions[1].tag_value = 1 << 24;
	expect_no_flow(of, actions + 1, 2, EINVAL, ": actions[0].tag_value = 0x1000000, and a tag has 24 bits");
	actions[1].tag_value = 3;
	expect_no_flow(of, &(struct vx_mlx5_flow_action){ .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = new_rc_qp() }, 1, EINVAL,
		       ": actions[0] leads to a QP of another type than IBV_QPT_RAW_PACKET");
	expect_no_flow(of, &(struct vx_mlx5_flow_action){ .type = (enum mlx5dv_flow_action_type)99 }, 1, EOPNOTSUPP,
		       "actions[0].type = 99 is none of enum mlx5dv_flow_action_type");
	expect_no_flow(of, actions, 1, EINVAL, "Invalid argument");
	cr_expect_null(strstr(vx_error_text(), "lead"));
	expect_no_flow(of, actions, 3, EOPNOTSUPP, "actions[0] and actions[2] are destinations, and a rule has one");
	made(vx_flow_action_borrow(ctx, &raw, &other));
	for (i = 1; i < 10; i++)
		actions[i] = (struct vx_mlx5_flow_action){ .type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION, .action = other };
	expect_no_flow(of, actions, 10, EOPNOTSUPP, "9 are MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION, of 8 at most");
}

#if VX_RDMA_CORE >= 38
static int link_objects(struct mlx5dv_devx_obj *obj, struct mlx5dv_dr_domain *peer, struct mlx5dv_dr_domain *dmn, uint32_t flags, uint8_t reg_c)
{
	(void)obj, (void)peer, (void)dmn, (void)flags, (void)reg_c;
	return 0;
}

static int unlink_objects(struct mlx5dv_devx_obj *obj, struct mlx5dv_dr_domain *dmn)
{
	(void)obj, (void)dmn;
	return 0;
}

/* libmlx5 would look into what it has of a link, and of software steering. */
Test(refused_rules, an_object_is_unlinked_that_was_linked)
{
	static char raw;
	struct vx_mlx5_devx_obj *obj;

	open_matcher(0);
	replace("mlx5dv_dr_aso_other_domain_link", link_objects);
	replace("mlx5dv_dr_aso_other_domain_unlink", unlink_objects);
	made(vx_mlx5_devx_obj_borrow(ctx, (struct mlx5dv_devx_obj *)(void *)&raw, &obj));
	cr_expect_eq(vx_mlx5_devx_obj_unlink_aso_domain(obj, domain), -EINVAL);
	expect_reason("the object was not linked by vx_mlx5_devx_obj_link_aso_domain()");
	made(vx_mlx5_devx_obj_link_aso_domain(obj, domain, domain, 1, 0));
	made(vx_mlx5_devx_obj_unlink_aso_domain(obj, domain));
}
#endif
