/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* An mkey through which data are signed or encrypted, and the QP that configures it. */
#ifndef MKEY_CONFIGURED_H
#define MKEY_CONFIGURED_H

#include "selftest.h"

extern struct ibv_qp *configured; /* connected with bed.b */
extern struct mlx5dv_mkey *mkey;

/* @flags: what it can do besides having entries */
struct mlx5dv_mkey *try_mkey(uint32_t flags);
void make_configured(uint32_t flags);
void destroy_configured(void); /* if there is one */

/* From now on the key is of @len bytes of bed.buf from @at on; either may be NULL. */
void configure(size_t at, uint32_t len, const struct mlx5dv_sig_block_attr *block,
	       const struct mlx5dv_crypto_attr *crypto);

/* Post a write, request 2, of which the key is the local or the remote end. */
void write_between(uint32_t lkey, uint64_t from, uint32_t rkey, uint64_t to, uint32_t len);

#endif
