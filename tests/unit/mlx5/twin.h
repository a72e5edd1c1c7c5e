/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_MLX5_TWIN_H
#define VERBSX_TESTS_MLX5_TWIN_H

/*
 * What tests/emu/wqe is compiled with to post by libverbsx all that it posts by itself: the WQEs have to be the same, byte for byte.
 * Handles are made of its raw objects where a function takes one.
 */

#include <infiniband/mlx5dv.h>
#include <verbsx/mlx5_wr.h>
#include <verbsx/verbsx.h>

/* That all is posted by. */
struct twin {
	struct vx_pd *pd;
	struct vx_qp *qp;
	struct vx_wr *wr;
	struct vx_mlx5_wr mlx5;
	struct ibv_qp_ex *x; /* of which the program sets flags */
};
extern struct twin twin;

/* Handles of the QP at hand; with TWIN=checked it is a checked one. */
struct ibv_qp_ex *twin_of(struct ibv_qp *raw);

/* Begin what the golden file has under this name, and end it: what was posted goes there as text. */
void twin_start(const char *name);
int twin_complete(void);
int twin_post_send(const char *name, struct ibv_qp *raw, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

struct vx_ah *twin_ah(struct ibv_ah *raw);
struct vx_mw *twin_mw(struct ibv_mw *raw);
struct vx_mlx5_mkey *twin_mkey(struct mlx5dv_mkey *raw);

#ifndef TWIN_ITSELF
#define WR_ID twin.x->wr_id
#define WR_FLAGS twin.x->wr_flags
#define ibv_qp_to_qp_ex(raw) twin_of(raw)
#define ibv_wr_start(x) ((void)(x), twin_start(self->name))
#define ibv_wr_complete(x) ((void)(x), twin_complete())
#define ibv_post_send(raw, wr, bad) twin_post_send(self->name, raw, wr, bad)
#define ibv_wr_send(x) vx_wr_send(twin.wr, WR_ID, WR_FLAGS)
#define ibv_wr_send_imm(x, imm) vx_wr_send_imm(twin.wr, WR_ID, WR_FLAGS, imm)
#define ibv_wr_send_inv(x, key) vx_wr_send_inv(twin.wr, WR_ID, WR_FLAGS, key)
#define ibv_wr_send_tso(x, hdr, size, mss) vx_wr_send_tso(twin.wr, WR_ID, WR_FLAGS, hdr, size, mss)
#define ibv_wr_rdma_write(x, key, addr) vx_wr_rdma_write(twin.wr, WR_ID, WR_FLAGS, key, addr)
#define ibv_wr_rdma_write_imm(x, key, addr, imm) vx_wr_rdma_write_imm(twin.wr, WR_ID, WR_FLAGS, key, addr, imm)
#define ibv_wr_rdma_read(x, key, addr) vx_wr_rdma_read(twin.wr, WR_ID, WR_FLAGS, key, addr)
#define ibv_wr_atomic_cmp_swp(x, key, addr, compare, swap) vx_wr_atomic_cmp_swp(twin.wr, WR_ID, WR_FLAGS, key, addr, compare, swap)
#define ibv_wr_atomic_fetch_add(x, key, addr, add) vx_wr_atomic_fetch_add(twin.wr, WR_ID, WR_FLAGS, key, addr, add)
#define ibv_wr_bind_mw(x, mw, key, info) vx_wr_bind_mw(twin.wr, WR_ID, WR_FLAGS, twin_mw(mw), key, info)
#define ibv_wr_local_inv(x, key) vx_wr_local_inv(twin.wr, WR_ID, WR_FLAGS, key)
#define ibv_wr_set_ud_addr(x, ah, qpn, qkey) vx_wr_set_ud_addr(twin.wr, twin_ah(ah), qpn, qkey)
#define ibv_wr_set_xrc_srqn(x, srqn) vx_wr_set_xrc_srqn(twin.wr, srqn)
#define ibv_wr_set_sge(x, lkey, addr, length) vx_wr_set_sge(twin.wr, lkey, addr, length)
#define ibv_wr_set_sge_list(x, n, list) vx_wr_set_sge_list(twin.wr, n, list)
#define ibv_wr_set_inline_data(x, addr, length) vx_wr_set_inline_data(twin.wr, addr, length)
#define ibv_wr_set_inline_data_list(x, n, list) vx_wr_set_inline_data_list(twin.wr, n, list)
#define mlx5dv_qp_ex_from_ibv_qp_ex(x) (&twin.mlx5)
#define mlx5dv_qp_ex vx_mlx5_wr /* of variables */
#define mlx5dv_wr_set_dc_addr(mx, ah, dctn, key) vx_mlx5_wr_set_dc_addr(mx, twin_ah(ah), dctn, key)
#define mlx5dv_wr_set_dc_addr_stream(mx, ah, dctn, key, stream) vx_mlx5_wr_set_dc_addr_stream(mx, twin_ah(ah), dctn, key, stream)
#define mlx5dv_wr_mr_list(mx, key, ...) vx_mlx5_wr_mr_list(mx, WR_ID, WR_FLAGS, twin_mkey(key), __VA_ARGS__)
#define mlx5dv_wr_mr_interleaved(mx, key, ...) vx_mlx5_wr_mr_interleaved(mx, WR_ID, WR_FLAGS, twin_mkey(key), __VA_ARGS__)
#define mlx5dv_wr_mkey_configure(mx, key, ...) vx_mlx5_wr_mkey_configure(mx, WR_ID, WR_FLAGS, twin_mkey(key), __VA_ARGS__)
#define mlx5dv_wr_set_mkey_access_flags(mx, flags) vx_mlx5_wr_set_mkey_access_flags(mx, flags)
#define mlx5dv_wr_set_mkey_layout_list(mx, n, list) vx_mlx5_wr_set_mkey_layout_list(mx, n, list)
#define mlx5dv_wr_set_mkey_layout_interleaved(mx, times, n, list) vx_mlx5_wr_set_mkey_layout_interleaved(mx, times, n, list)
#define mlx5dv_wr_set_mkey_sig_block(mx, attr) vx_mlx5_wr_set_mkey_sig_block(mx, attr)
#define mlx5dv_wr_set_mkey_crypto(mx, attr) vx_mlx5_wr_set_mkey_crypto(mx, attr)
#define mlx5dv_wr_memcpy(mx, ...) vx_mlx5_wr_memcpy(mx, WR_ID, WR_FLAGS, __VA_ARGS__)
#define mlx5dv_wr_raw_wqe(mx, wqe) vx_mlx5_wr_raw_wqe(mx, WR_ID, WR_FLAGS, wqe)
#endif

#endif
