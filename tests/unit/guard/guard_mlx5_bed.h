/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Checked QPs of mlx5, and what their builders are given. */

#ifndef UNIT_GUARD_MLX5_BED_H
#define UNIT_GUARD_MLX5_BED_H

#include <infiniband/mlx5dv.h>
#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "guard_bed.h"

extern struct vx_mlx5_wr mlx5;
extern struct vx_mlx5_mkey *mkey;

/* Opens the device, with qp connected to itself. */
void open_mlx5(void);

/* Of what another made, whose builders are mlx5's. */
struct vx_qp *adopt_checked(enum ibv_qp_type type, struct mlx5dv_qp_init_attr *of_mlx5);

/* A request about the key, and two setters that may follow it. */
void configure(uint8_t setters);
void set_layout(void);
void set_access(void);

/* The list is refused and says why; a DCI has no next that would go through as it is. */
void expect_mlx5_refused(int code, const char *words);

#endif
