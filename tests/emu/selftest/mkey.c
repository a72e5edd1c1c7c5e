/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Indirect mkeys. */
#include "selftest.h"

TestSuite(mkey, .init = open_mlx5, .fini = close_bed);

enum {
	RW = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE
};

static struct mlx5dv_mkey *make_mkey(void)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = bed.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = 8,
	};
	struct mlx5dv_mkey *mk = mlx5dv_create_mkey(&attr);

	CHECK(mk);
	return mk;
}

static int fill_list(struct mlx5dv_mkey *mk, unsigned int flags)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	struct ibv_sge list[2] = { { address(20480), 4, bed.mr->lkey }, { address(24576), 4, bed.mr->lkey } };

	start(x, 1, flags);
	mlx5dv_wr_mr_list(mlx5dv_qp_ex_from_ibv_qp_ex(x), mk, RW, 2, list);
	return ibv_wr_complete(x);
}

Test(mkey, a_list_scatters)
{
	struct mlx5dv_mkey *mk = make_mkey();

	CHECK(!fill_list(mk, IBV_SEND_INLINE | IBV_SEND_SIGNALED));
	expect_wc(1, 0, MLX5DV_WC_UMR);
	post_write(bed.a, 2, mk->rkey, 0, "ABCDEFGH");
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 20480, "ABCD", 5) && !memcmp(bed.buf + 24576, "EFGH", 5));
	CHECK(!mlx5dv_destroy_mkey(mk));
}

Test(mkey, an_invalidated_mkey_is_refused)
{
	struct mlx5dv_mkey *mk = make_mkey();

	CHECK(!fill_list(mk, IBV_SEND_INLINE | IBV_SEND_SIGNALED));
	expect_wc(1, 0, MLX5DV_WC_UMR);
	invalidate(bed.a, mk->lkey);
	post_write(bed.a, 2, mk->rkey, 0, "ABCDEFGH");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	CHECK(!mlx5dv_destroy_mkey(mk));
}

Test(mkey, an_interleaved_layout_leaves_gaps)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	struct mlx5dv_mr_interleaved layout = { address(28672), 2, 6, bed.mr->lkey };
	struct mlx5dv_mkey *mk = make_mkey();

	start(x, 4, IBV_SEND_INLINE | IBV_SEND_SIGNALED);
	mlx5dv_wr_mr_interleaved(mlx5dv_qp_ex_from_ibv_qp_ex(x), mk, RW, 4, 1, &layout);
	CHECK(!ibv_wr_complete(x));
	expect_wc(4, 0, MLX5DV_WC_UMR);
	post_write(bed.a, 5, mk->rkey, 0, "ABCDEFGH");
	expect_wc(5, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 28672, "AB\0\0\0\0\0\0CD", 10));
	CHECK(!memcmp(bed.buf + 28688, "EF\0\0\0\0\0\0GH", 10));
	CHECK(!mlx5dv_destroy_mkey(mk));
}

Test(mkey, a_list_not_inline_is_not_supported)
{
	struct mlx5dv_mkey *mk = make_mkey();

	CHECK(fill_list(mk, 0) == EOPNOTSUPP);
	CHECK(!mlx5dv_destroy_mkey(mk));
}
