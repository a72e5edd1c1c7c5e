/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What mlx5dv has objects of, made by somebody else: nobody looks into it, and it is given back at once. */

#include <verbsx/mlx5.h>

#include "torture.h"

static uint64_t raw[64], raw_parents[4][64];
static struct vx_mlx5_msi_vector *vector;
static struct vx_mlx5_dr_domain *domain;
static struct vx_mlx5_dr_table *table;
static struct vx_mlx5_dr_matcher *matcher;

static int borrow_parents(void)
{
	int rc = vx_mlx5_msi_vector_borrow(stage.ctx, (void *)raw_parents[0], &vector);

	rc = rc ? rc : vx_mlx5_dr_domain_borrow(stage.ctx, (void *)raw_parents[1], &domain);
	rc = rc ? rc : vx_mlx5_dr_table_borrow(domain, (void *)raw_parents[2], &table);
	return rc ? rc : vx_mlx5_dr_matcher_borrow(table, (void *)raw_parents[3], &matcher);
}

#define ADOPTING(kind, parent)                                                    \
	static int adopt_##kind(void)                                             \
	{                                                                         \
		struct vx_##kind *held;                                           \
		const int rc = vx_##kind##_adopt(parent, (void *)raw, &held);     \
										  \
		return rc ? rc : vx_give_back(held) == (void *)raw ? 0 : -1;      \
	}

ADOPTING(mlx5_cmd_comp, stage.ctx)
ADOPTING(mlx5_crypto_login, stage.ctx)
ADOPTING(mlx5_dek, stage.ctx)
ADOPTING(mlx5_devx_eq, vector)
ADOPTING(mlx5_devx_obj, stage.ctx)
ADOPTING(mlx5_devx_uar, stage.ctx)
ADOPTING(mlx5_devx_umem, stage.ctx)
ADOPTING(mlx5_dr_action, stage.ctx)
ADOPTING(mlx5_dr_domain, stage.ctx)
ADOPTING(mlx5_dr_matcher, table)
ADOPTING(mlx5_dr_rule, matcher)
ADOPTING(mlx5_dr_table, domain)
ADOPTING(mlx5_event_channel, stage.ctx)
ADOPTING(mlx5_flow_matcher, stage.ctx)
ADOPTING(mlx5_mkey, stage.pd)
ADOPTING(mlx5_msi_vector, stage.ctx)
ADOPTING(mlx5_pp, stage.ctx)
ADOPTING(mlx5_sched_leaf, stage.ctx)
ADOPTING(mlx5_sched_node, stage.ctx)
ADOPTING(mlx5_steering_anchor, stage.ctx)
ADOPTING(mlx5_var, stage.ctx)

#define ROW(kind) { "adopting a " #kind, borrow_parents, adopt_##kind, { "vx_" #kind "_adopt", NULL, BY_NULL, NULL } }

const struct method mlx5_adopted[] = {
	ROW(mlx5_cmd_comp), ROW(mlx5_crypto_login), ROW(mlx5_dek),
	ROW(mlx5_devx_eq), ROW(mlx5_devx_obj), ROW(mlx5_devx_uar),
	ROW(mlx5_devx_umem), ROW(mlx5_dr_action), ROW(mlx5_dr_domain),
	ROW(mlx5_dr_matcher), ROW(mlx5_dr_rule), ROW(mlx5_dr_table),
	ROW(mlx5_event_channel), ROW(mlx5_flow_matcher), ROW(mlx5_mkey),
	ROW(mlx5_msi_vector), ROW(mlx5_pp), ROW(mlx5_sched_leaf),
	ROW(mlx5_sched_node), ROW(mlx5_steering_anchor), ROW(mlx5_var),
	{ 0 },
};
