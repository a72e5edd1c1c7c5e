/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "mkey_configured.h"

struct ibv_qp *configured;
struct mlx5dv_mkey *mkey;

struct mlx5dv_mkey *try_mkey(uint32_t flags)
{
	struct mlx5dv_mkey_init_attr a = {
		.pd = bed.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | flags,
		.max_entries = 4,
	};

	return mlx5dv_create_mkey(&a);
}

void make_configured(uint32_t flags)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
	};

	configured = make_mlx5_qp(IBV_QPT_RC, OPS_RC, &dv);
	reconnect(configured, bed.b, NO_RNR_LIMIT);
	mkey = try_mkey(flags);
	CHECK(mkey);
}

void destroy_configured(void)
{
	CHECK(!mkey || !mlx5dv_destroy_mkey(mkey));
	CHECK(!configured || !ibv_destroy_qp(configured));
}

void configure(size_t at, uint32_t len, const struct mlx5dv_sig_block_attr *block,
	       const struct mlx5dv_crypto_attr *crypto)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(configured);
	struct mlx5dv_qp_ex *m = mlx5dv_qp_ex_from_ibv_qp_ex(x);
	struct ibv_sge sge = { address(at), len, bed.mr->lkey };
	struct mlx5dv_mkey_conf_attr conf = { 0 };

	start(x, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	mlx5dv_wr_mkey_configure(m, mkey, 2 + !!block + !!crypto, &conf);
	mlx5dv_wr_set_mkey_access_flags(m, ACCESS_ALL);
	mlx5dv_wr_set_mkey_layout_list(m, 1, &sge);
	if (block)
		mlx5dv_wr_set_mkey_sig_block(m, block);
	if (crypto)
		mlx5dv_wr_set_mkey_crypto(m, crypto);
	CHECK(!ibv_wr_complete(x));
	expect_wc(1, 0, MLX5DV_WC_UMR);
}

void write_between(uint32_t lkey, uint64_t from, uint32_t rkey, uint64_t to, uint32_t len)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(configured);

	start(x, 2, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(x, rkey, to);
	ibv_wr_set_sge(x, lkey, from, len);
	CHECK(!ibv_wr_complete(x));
}
