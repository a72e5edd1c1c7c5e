/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Direct rules of mlx5, on a context in whose provider's place nothing stands. */

#include <endian.h>
#include <stdio.h>

#include <verbsx/mlx5.h>

#include "torture.h"

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint64_t bits[8];
} match = { .parameters = { .match_sz = sizeof(match.bits) } };

static struct vx_qp *qp;
static struct vx_mlx5_dr_domain *domain;
static struct vx_mlx5_dr_table *table;
static struct vx_mlx5_dr_matcher *matcher;
static struct vx_mlx5_dr_action *action;
static struct vx_mlx5_dr_rule *rule;

static int open_other(void)
{
	return vx_ctx_open_index(0, &stage.other);
}

static int make_domain(void)
{
	const int rc = vx_mlx5_dr_domain_create(stage.other, NULL, &domain);

	return keep_made(rc, domain);
}

static int make_table(void)
{
	const int rc = vx_mlx5_dr_table_create(domain, NULL, &table);

	return keep_made(rc, table);
}

static int make_matcher(void)
{
	const struct vx_mlx5_dr_matcher_init init = { .match_criteria_enable = 1, .mask = &match.parameters };
	const int rc = vx_mlx5_dr_matcher_create(table, &init, &matcher);

	return keep_made(rc, matcher);
}

static int need_domain(void)
{
	const int rc = open_other();

	return rc ? rc : make_domain();
}

static int need_table(void)
{
	const int rc = need_domain();

	return rc ? rc : make_table();
}

static int need_matcher(void)
{
	const int rc = need_table();

	return rc ? rc : make_matcher();
}

static int make_raw_qp(void)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RAW_PACKET };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct vx_pd *pd;
	int rc = need_matcher();

	rc = rc ? rc : vx_pd_create(stage.other, NULL, &pd);
	rc = rc ? rc : vx_cq_create(stage.other, NULL, &init.send_cq);
	init.recv_cq = init.send_cq;
	rc = rc ? rc : vx_qp_create(pd, &init, &qp);
	return rc ? rc : vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PORT);
}

static int lead_to_qp(void)
{
	const int rc = vx_mlx5_dr_dest_qp_create(qp, NULL, &action);

	return keep_made(rc, action);
}

static int need_action(void)
{
	const int rc = make_raw_qp();

	return rc ? rc : lead_to_qp();
}

static int make_rule(void)
{
	const struct vx_mlx5_dr_rule_init init = { .value = &match.parameters, .actions = &action, .num_actions = 1 };
	const int rc = vx_mlx5_dr_rule_create(matcher, &init, &rule);

	return keep_made(rc, rule);
}

static int need_rule(void)
{
	const int rc = need_action();

	return rc ? rc : make_rule();
}

static int dump(int (*into)(FILE *file, size_t *lines))
{
	FILE *file = fopen("/dev/null", "w");
	size_t lines;
	int rc;

	if (!file)
		return -1;
	rc = into(file, &lines);
	fclose(file);
	return rc;
}

#define DUMPING(function, call)                               \
	static int function##_into(FILE *file, size_t *lines) \
	{                                                     \
		return call;                                  \
	}                                                     \
							      \
	static int function(void)                             \
	{                                                     \
		return dump(function##_into);                 \
	}

DUMPING(dump_domain, vx_mlx5_dr_domain_dump(domain, file, lines))
DUMPING(dump_table, vx_mlx5_dr_table_dump(table, file, lines))
DUMPING(dump_matcher, vx_mlx5_dr_matcher_dump(matcher, file, lines))
DUMPING(dump_rule, vx_mlx5_dr_rule_dump(rule, file, lines))

/* The destination port of UDP becomes 4000. */
static int make_header_change(void)
{
	const struct vx_mlx5_dr_modify_header_init init = { .flags = MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL, .actions_sz = 8,
							    .actions = &(__be64){ htobe64((1ull << 60) | (0xcull << 48) | 4000) } };
	const int rc = vx_mlx5_dr_modify_header_create(domain, &init, &action);

	return keep_made(rc, action);
}

static int make_decapsulation(void)
{
	const struct vx_mlx5_dr_packet_reformat_init init = {
		.flags = MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL,
		.reformat_type = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
	};
	const int rc = vx_mlx5_dr_packet_reformat_create(domain, &init, &action);

	return keep_made(rc, action);
}

/* That of a matcher cannot fail: libmlx5 forgets that the kernel said no, and what it made. */
const struct method mlx5_ethernet_methods[] = {
	{ "making a dr domain", open_other, make_domain, MADE_BY(mlx5dv_dr_domain_create) },
	{ "closing a dr domain", need_domain, stage_close_made, CODED(mlx5dv_dr_domain_destroy) },
	{ "making a dr table", need_domain, make_table, MADE_BY(mlx5dv_dr_table_create) },
	{ "closing a dr table", need_table, stage_close_made, CODED(mlx5dv_dr_table_destroy) },
	{ "making a dr matcher", need_table, make_matcher, MADE_BY(mlx5dv_dr_matcher_create) },
	{ "making an action that leads to a qp", make_raw_qp, lead_to_qp, MADE_BY(mlx5dv_dr_action_create_dest_ibv_qp) },
	{ "making a dr rule", need_action, make_rule, MADE_BY(mlx5dv_dr_rule_create) },
	{ "closing a dr rule", need_rule, stage_close_made, CODED(mlx5dv_dr_rule_destroy) },
	{ "making an action that changes headers", need_domain, make_header_change, MADE_BY(mlx5dv_dr_action_create_modify_header) },
	{ "making an action that takes headers off", need_domain, make_decapsulation, MADE_BY(mlx5dv_dr_action_create_packet_reformat) },
	{ "dump of a dr domain", need_domain, dump_domain, NAMED(mlx5dv_dump_dr_domain, BY_NEGATIVE) },
	{ "dump of a dr table", need_table, dump_table, NAMED(mlx5dv_dump_dr_table, BY_NEGATIVE) },
	{ "dump of a dr matcher", need_matcher, dump_matcher, NAMED(mlx5dv_dump_dr_matcher, BY_NEGATIVE) },
	{ "dump of a dr rule", need_rule, dump_rule, NAMED(mlx5dv_dump_dr_rule, BY_NEGATIVE) },
	{ 0 },
};
