/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef BENCH_DATAPATH_H
#define BENCH_DATAPATH_H

/* What the tasks of datapath.c and datapath_mlx5.c share: all is behind pointers, as programs have it. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>
#include <verbsx/verbsx.h>

#include "measure.h"
#include "must.h"
#include "nothing.h"

#define LIST 16
#define EACH_TURN for (int turn = 0; turn < LIST; turn++)
#define ALONE __attribute__((noinline))	/* a function of a program, called by another */

extern struct vx_qp *qp;
extern struct vx_ah *ah;
extern struct vx_mlx5_mkey *mkey;
extern struct mlx5dv_mkey *raw_mkey;
extern struct ibv_ah *raw_ah;
extern struct ibv_qp_ex *raw_qp;
extern struct vx_mlx5_wr mlx5;
extern struct mlx5dv_qp_ex *raw_mlx5;
extern char memory[4096];

extern const struct pair mlx5_pairs[];
extern const size_t mlx5_pair_count;

#endif
