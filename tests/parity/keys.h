/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_KEYS_H
#define VERBSX_TESTS_PARITY_KEYS_H

/* A connected pair of QPs that have the builders of mlx5, a region for both, and a key of mlx5 that is configured by the client. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "pair.h"

enum { KEYS_ROOM = 16384, MOST_ENTRIES = 8 };

struct keys {
	struct pair p;
	struct vx_mlx5_wr client, server;
	struct vx_mlx5_mkey *mkey;
	char *memory;
};

/* By operations of enum mlx5dv_qp_create_send_ops_flags; create_flags of both QPs and of the key, 0 for none. */
struct keys open_keys(uint64_t operations, uint32_t qp_flags, uint32_t mkey_flags);

/* Of a QP of the same kind, not connected. */
struct vx_qp *keys_qp(struct vx_pd *parent, struct vx_cq *cq, uint64_t operations, uint32_t qp_flags);

struct ibv_sge keys_sge(const struct keys *k, size_t offset, uint32_t length);

/* Post the client's list, of one signalled request, and tell how it ended. */
enum ibv_wc_status ended(const struct keys *k, struct vx_wr *wr);

/* The same, which must have been done. */
#define done_by(k, wr) cr_assert_eq(ended(k, wr), IBV_WC_SUCCESS)

/* Have the client write between memory and the key, which begins at 0. */
enum ibv_wc_status write_in(const struct keys *k, size_t from, uint32_t length);
enum ibv_wc_status write_out(const struct keys *k, size_t to, uint32_t length);

/* The key is of what lies at an offset, with a signature, encrypted, or both; NULL for none. */
void configure_key(struct keys *k, size_t offset, uint32_t length, const struct mlx5dv_sig_block_attr *block,
		   const struct mlx5dv_crypto_attr *crypto);

#endif
