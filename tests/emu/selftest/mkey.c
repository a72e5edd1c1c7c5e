/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Indirect mkeys and memory windows. */
#include "selftest.h"

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

static void invalidate(struct ibv_qp *q, uint32_t key)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);

	start(x, 3, IBV_SEND_SIGNALED);
	ibv_wr_local_inv(x, key);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_LOCAL_INV);
}

static int fill_list(struct mlx5dv_mkey *mk, unsigned int flags)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	struct ibv_sge list[2] = { { address(20480), 4, bed.mr->lkey }, { address(24576), 4, bed.mr->lkey } };

	start(x, 1, flags);
	mlx5dv_wr_mr_list(mlx5dv_qp_ex_from_ibv_qp_ex(x), mk, RW, 2, list);
	return ibv_wr_complete(x);
}

static void a_list_scatters(void)
{
	struct mlx5dv_mkey *mk = make_mkey();

	CHECK(!fill_list(mk, IBV_SEND_INLINE | IBV_SEND_SIGNALED));
	expect_wc(1, 0, MLX5DV_WC_UMR);
	post_write(bed.a, 2, mk->rkey, 0, "ABCDEFGH");
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 20480, "ABCD", 5) && !memcmp(bed.buf + 24576, "EFGH", 5));
	CHECK(!mlx5dv_destroy_mkey(mk));
}

static void an_invalidated_mkey_is_refused(void)
{
	struct mlx5dv_mkey *mk = make_mkey();

	CHECK(!fill_list(mk, IBV_SEND_INLINE | IBV_SEND_SIGNALED));
	expect_wc(1, 0, MLX5DV_WC_UMR);
	invalidate(bed.a, mk->lkey);
	post_write(bed.a, 2, mk->rkey, 0, "ABCDEFGH");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	CHECK(!mlx5dv_destroy_mkey(mk));
}

static void an_interleaved_layout_leaves_gaps(void)
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

static void a_list_not_inline_is_not_supported(void)
{
	struct mlx5dv_mkey *mk = make_mkey();

	CHECK(fill_list(mk, 0) == EOPNOTSUPP);
	CHECK(!mlx5dv_destroy_mkey(mk));
}

/* For the QP that binds it, whose peer then uses it */
static uint32_t bind(struct ibv_mw *mw, struct ibv_mr *m)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.b);
	struct ibv_mw_bind_info info = {
		.mr = m, .addr = address(4096), .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE
	};
	uint32_t rkey = ibv_inc_rkey(mw->rkey);

	start(x, 1, IBV_SEND_SIGNALED);
	ibv_wr_bind_mw(x, mw, rkey, &info);
	CHECK(!ibv_wr_complete(x));
	return rkey;
}

static void a_window_opens_and_closes(void)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);
	uint32_t rkey;

	CHECK(m && mw);
	rkey = bind(mw, m);
	expect_wc(1, 0, IBV_WC_BIND_MW);
	post_write(bed.a, 2, rkey, address(4096), "window");
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 4096, "window", 6));
	invalidate(bed.b, rkey);
	post_write(bed.a, 4, rkey, address(4096), "closed");
	expect_error(4, IBV_WC_REM_ACCESS_ERR);
	CHECK(!memcmp(bed.buf + 4096, "window", 6));
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

static void a_window_needs_an_mr_that_allows_it(void)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);

	CHECK(m && mw);
	bind(mw, m);
	expect_error(1, IBV_WC_MW_BIND_ERR);
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

static void a_window_is_for_the_qp_that_bound_it(void)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);
	uint32_t rkey;

	CHECK(m && mw);
	rkey = bind(mw, m);
	expect_wc(1, 0, IBV_WC_BIND_MW);
	post_write(bed.b, 2, rkey, address(4096), "window");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	CHECK(wait_async(IBV_EVENT_QP_ACCESS_ERR).element.qp == bed.a);
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

const struct test mkey_tests[] = {
	{ "a_list_scatters", a_list_scatters },
	{ "an_invalidated_mkey_is_refused", an_invalidated_mkey_is_refused },
	{ "an_interleaved_layout_leaves_gaps", an_interleaved_layout_leaves_gaps },
	{ "a_list_not_inline_is_not_supported", a_list_not_inline_is_not_supported },
	{ "a_window_opens_and_closes", a_window_opens_and_closes },
	{ "a_window_is_for_the_qp_that_bound_it", a_window_is_for_the_qp_that_bound_it },
	{ "a_window_needs_an_mr_that_allows_it", a_window_needs_an_mr_that_allows_it },
	{ 0 },
};
