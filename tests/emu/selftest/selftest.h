/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the tests of mlx5's own things, and of the emulation itself, share. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <infiniband/mlx5dv.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "../emu.h"
#include "../scenarios/bed.h"

enum {
	DC_KEY = 0xabcd
};

/* The functions of emu.h, as found at run time */
extern __typeof__(&vx_emu_fault) emu_fault;
extern __typeof__(&vx_emu_fail) emu_fail;
extern __typeof__(&vx_emu_live) emu_live;

/* The .init of a suite, with close_bed as .fini: a bed with DEVX, its QPs with the operations of mlx5 */
void open_mlx5(void);

/* A call of two attributes, past libibverbs: 0 or an errno */
int call_kernel(const struct ibv_context *ctx, uint16_t object, uint16_t method, struct ib_uverbs_attr a, struct ib_uverbs_attr b);

struct ibv_qp *make_mlx5_qp(enum ibv_qp_type type, uint64_t ops, struct mlx5dv_qp_init_attr *dv);

#endif
