/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef BENCH_NOTHING_H
#define BENCH_NOTHING_H

/* A provider whose data path does nothing, in a file of its own, so that nothing of it is inlined. */

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#define NOTHING_QPN 17
#define NOTHING_COMPLETIONS 16	/* of each turn through an extended CQ */

extern struct ibv_context nothing_context;
extern struct ibv_pd nothing_pd;
extern struct ibv_ah nothing_ah;
extern struct ibv_cq_ex nothing_cq;	/* each ibv_poll_cq() finds one, that of a write of the QP */
extern struct ibv_qp_ex nothing_qp;	/* RC, in RTS */
extern struct mlx5dv_qp_ex nothing_mlx5;	/* of that QP */
extern int nothing_code;		/* of ibv_post_send() */

void make_nothing(void);

#endif
