/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MLX5_H
#define VERBSX_SRC_MLX5_H

/* What lore asks of the structures that only libmlx5 takes. */

#include <stdbool.h>

#include <verbsx/have.h>
#include <infiniband/mlx5dv.h>

#include "error/fail.h"
#include "know/mlx5_prm.h"

static inline bool vx_mlx5_is_dc(const struct mlx5dv_qp_init_attr *attr)
{
	return attr && attr->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC;
}

/* It receives only, by an SRQ. */
static inline bool vx_mlx5_is_dct(const struct mlx5dv_qp_init_attr *attr)
{
	return vx_mlx5_is_dc(attr) && attr->dc_init_attr.dc_type == MLX5DV_DCTYPE_DCT;
}

/* It sends only. */
static inline bool vx_mlx5_is_dci(const struct mlx5dv_qp_init_attr *attr)
{
	return vx_mlx5_is_dc(attr) && attr->dc_init_attr.dc_type == MLX5DV_DCTYPE_DCI;
}

/* A DCI's: libmlx5 makes other QPs without a word. */
bool vx_mlx5_has_streams(const struct mlx5dv_qp_init_attr *attr) VX_SELDOM_CALLED;

/* How many streams a DCI's requests may name: one that was made without has that with the number 0. */
uint32_t vx_mlx5_streams(const struct mlx5dv_qp_init_attr *attr) VX_SELDOM_CALLED;

/* Whether it has the field of a bit, and comp_mask lacks that: libmlx5 makes another QP without a word. */
bool vx_mlx5_ignores(const struct mlx5dv_qp_init_attr *attr, enum mlx5dv_qp_init_attr_mask field) VX_SELDOM_CALLED;

/* What it is where the program says nothing. */
static inline enum ibv_qp_type vx_mlx5_qp_type(const struct mlx5dv_qp_init_attr *attr)
{
	return vx_mlx5_is_dc(attr) ? IBV_QPT_DRIVER : IBV_QPT_RC;
}

/* A copy of the mask that a matcher is to have; of none, nothing. */
struct vx_mlx5_mask vx_mlx5_mask(const struct mlx5dv_flow_match_parameters *given) VX_SELDOM_CALLED;

/* Which parts of what is matched have bits, as match_criteria_enable has them. */
unsigned int vx_mlx5_parts(const struct mlx5dv_flow_match_parameters *given) VX_SELDOM_CALLED;

/* Whether a rule has nothing of a part that the matcher looks at: behind a root table libmlx5 would copy a part of a size below 0. */
struct vx_mlx5_dr_matcher;
bool vx_mlx5_is_cut(const struct vx_mlx5_dr_matcher *matcher, const struct mlx5dv_flow_match_parameters *value) VX_SELDOM_CALLED;

#endif
