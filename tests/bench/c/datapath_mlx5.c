/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Builders of mlx5 through handles, beside libmlx5's inline functions, on a provider that does nothing. */

#include "datapath.h"

ALONE static void nothing_raw(void)
{
	keep(0);
}

ALONE static void nothing_vx(void)
{
	keep(0);
}

PAIR_OF(nothing)

static void copies_raw(struct ibv_qp_ex *ex, struct mlx5dv_qp_ex *mx, int count)
{
	int i;

	ibv_wr_start(ex);
	for (i = 0; i < count; i++) {
		ex->wr_id = (uint64_t)i;
		ex->wr_flags = i + 1 == count ? IBV_SEND_SIGNALED : 0;
		mlx5dv_wr_memcpy(mx, 77, 1, 77, (uintptr_t)memory, 64);
	}
	must(!ibv_wr_complete(ex), "ibv_wr_complete()");
}

/* By a copy, or both of its pointers were read for each request. */
static void copies_vx(struct vx_qp *to, struct vx_mlx5_wr mx, int count)
{
	struct vx_wr *wr = vx_wr_start(to);
	int i;

	for (i = 0; i < count; i++)
		vx_mlx5_wr_memcpy(&mx, (uint64_t)i, i + 1 == count ? IBV_SEND_SIGNALED : 0, 77, 1, 77, (uintptr_t)memory, 64);
	must(!vx_wr_complete(wr), "vx_wr_complete()");
}

ALONE static void copies16_raw(void)
{
	copies_raw(raw_qp, raw_mlx5, LIST);
}

ALONE static void copies16_vx(void)
{
	copies_vx(qp, mlx5, LIST);
}

ALONE static void copies1_raw(void)
{
	EACH_TURN
		copies_raw(raw_qp, raw_mlx5, 1);
}

ALONE static void copies1_vx(void)
{
	EACH_TURN
		copies_vx(qp, mlx5, 1);
}

/* To DCTs; each write names the same. */
ALONE static void dc16_raw(void)
{
	int i;

	ibv_wr_start(raw_qp);
	for (i = 0; i < LIST; i++) {
		raw_qp->wr_id = (uint64_t)i;
		raw_qp->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(raw_qp, 1, 2);
		mlx5dv_wr_set_dc_addr(raw_mlx5, &nothing_ah, 5, 6);
		ibv_wr_set_sge(raw_qp, 77, (uintptr_t)memory, 64);
	}
	must(!ibv_wr_complete(raw_qp), "ibv_wr_complete()");
}

ALONE static void dc16_vx(void)
{
	struct vx_wr *wr = vx_wr_start(qp);
	int i;

	for (i = 0; i < LIST; i++) {
		vx_wr_rdma_write(wr, (uint64_t)i, IBV_SEND_SIGNALED, 1, 2);
		vx_mlx5_wr_set_dc_addr(&mlx5, ah, 5, 6);
		vx_wr_set_sge(wr, 77, (uintptr_t)memory, 64);
	}
	must(!vx_wr_complete(wr), "vx_wr_complete()");
}

/* ---- each builder and setter, sixteen times ---- */

static struct ibv_sge pieces[2] = { { .length = 64, .lkey = 77 }, { .length = 64, .lkey = 77 } };
static struct mlx5dv_mr_interleaved strides[1] = { { .bytes_count = 16, .bytes_skip = 48, .lkey = 77 } };
static struct mlx5dv_mkey_conf_attr conf;
static struct mlx5dv_sig_block_attr block;
static struct mlx5dv_crypto_attr crypto;

/* A list of LIST requests, each built by an expression with the next of them in .wr_id. */
#define LIST_RAW(name, build)                                                   \
	ALONE static void name##_raw(void)                                      \
	{                                                                       \
		struct mlx5dv_qp_ex *mx = raw_mlx5;                             \
		struct ibv_qp_ex *ex = raw_qp;                                  \
		struct mlx5dv_mkey *key = raw_mkey;                             \
		struct ibv_ah *to = raw_ah;                                     \
		int i;                                                          \
                                                                                \
		(void)key, (void)to;                                            \
		ibv_wr_start(ex);                                               \
		for (i = 0; i < LIST; i++) {                                    \
			ex->wr_id = (uint64_t)i;                                \
			ex->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;     \
			build;                                                  \
		}                                                               \
		must(!ibv_wr_complete(ex), "ibv_wr_complete()");                \
	}

#define LIST_VX(name, build)                                                    \
	ALONE static void name##_vx(void)                                       \
	{                                                                       \
		const struct vx_mlx5_wr own = mlx5, *mx = &own;                 \
		struct vx_wr *wr = vx_wr_start(qp);                             \
		struct vx_mlx5_mkey *key = mkey;                                \
		struct vx_ah *to = ah;                                          \
		int i;                                                          \
                                                                                \
		(void)key, (void)to;                                            \
		for (i = 0; i < LIST; i++) {                                    \
			build;                                                  \
		}                                                               \
		must(!vx_wr_complete(wr), "vx_wr_complete()");                  \
	}                                                                       \
	PAIR_OF(name)

#define BY IBV_SEND_SIGNALED | IBV_SEND_INLINE

LIST_RAW(lists16, mlx5dv_wr_mr_list(mx, key, 1, 2, pieces))
LIST_VX(lists16, vx_mlx5_wr_mr_list(mx, (uint64_t)i, BY, key, 1, 2, pieces))

LIST_RAW(strides16, mlx5dv_wr_mr_interleaved(mx, key, 1, 4, 1, strides))
LIST_VX(strides16, vx_mlx5_wr_mr_interleaved(mx, (uint64_t)i, BY, key, 1, 4, 1, strides))

LIST_RAW(raws16, mlx5dv_wr_raw_wqe(mx, memory))
LIST_VX(raws16, vx_mlx5_wr_raw_wqe(mx, (uint64_t)i, BY, memory))

LIST_RAW(keys16, (mlx5dv_wr_mkey_configure(mx, key, 4, &conf), mlx5dv_wr_set_mkey_access_flags(mx, 1),
		  mlx5dv_wr_set_mkey_layout_list(mx, 2, pieces), mlx5dv_wr_set_mkey_sig_block(mx, &block), mlx5dv_wr_set_mkey_crypto(mx, &crypto)))
LIST_VX(keys16, (vx_mlx5_wr_mkey_configure(mx, (uint64_t)i, BY, key, 4, &conf), vx_mlx5_wr_set_mkey_access_flags(mx, 1),
		 vx_mlx5_wr_set_mkey_layout_list(mx, 2, pieces), vx_mlx5_wr_set_mkey_sig_block(mx, &block), vx_mlx5_wr_set_mkey_crypto(mx, &crypto)))

LIST_RAW(layouts16, (mlx5dv_wr_mkey_configure(mx, key, 1, &conf), mlx5dv_wr_set_mkey_layout_interleaved(mx, 4, 1, strides)))
LIST_VX(layouts16, (vx_mlx5_wr_mkey_configure(mx, (uint64_t)i, BY, key, 1, &conf), vx_mlx5_wr_set_mkey_layout_interleaved(mx, 4, 1, strides)))

LIST_RAW(streams16, (ibv_wr_rdma_write(ex, 1, 2), mlx5dv_wr_set_dc_addr_stream(mx, to, 5, 6, 7), ibv_wr_set_sge(ex, 77, (uintptr_t)memory, 64)))
LIST_VX(streams16, (vx_wr_rdma_write(wr, (uint64_t)i, BY, 1, 2), vx_mlx5_wr_set_dc_addr_stream(mx, to, 5, 6, 7), vx_wr_set_sge(wr, 77, (uintptr_t)memory, 64)))

PAIR_OF(copies16)
PAIR_OF(copies1)
PAIR_OF(dc16)

const struct pair mlx5_pairs[] = { PAIR(nothing), PAIR(copies16), PAIR(copies1), PAIR(dc16), PAIR(lists16), PAIR(strides16), PAIR(raws16),
				   PAIR(keys16), PAIR(layouts16), PAIR(streams16) };
const size_t mlx5_pair_count = sizeof(mlx5_pairs) / sizeof(mlx5_pairs[0]);
