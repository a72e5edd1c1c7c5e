/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Memory windows. */
#include "bed.h"

TestSuite(window, .init = open_bed, .fini = close_bed);

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

Test(window, a_window_opens_and_closes)
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

Test(window, a_window_needs_an_mr_that_allows_it)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);

	CHECK(m && mw);
	bind(mw, m);
	expect_error(1, IBV_WC_MW_BIND_ERR);
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

/* @is_told whether the program tells the library of the window's rkey meanwhile */
static void bind_again(bool is_told)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);
	uint32_t rkey;

	CHECK(m && mw);
	for (int i = 0; i < 3; i++) {
		rkey = bind(mw, m);
		expect_wc(1, 0, IBV_WC_BIND_MW);
		post_write(bed.a, 2, rkey, address(4096), "window");
		expect_wc(2, 0, IBV_WC_RDMA_WRITE);
		invalidate(bed.b, rkey);
		if (is_told)
			mw->rkey = rkey;
	}
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

Test(window, a_window_that_was_closed_is_bound_again)
{
	bind_again(true);
}

Test(window, a_window_is_bound_again_whose_rkey_the_library_was_not_told)
{
	skip_on_soft_roce("soft-RoCE wants the rkey of before, as the program has set it");
	bind_again(false);
}

Test(window, a_window_that_is_bound_is_not_bound_again)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);

	CHECK(m && mw);
	mw->rkey = bind(mw, m);
	expect_wc(1, 0, IBV_WC_BIND_MW);
	bind(mw, m);
	expect_error(1, IBV_WC_MW_BIND_ERR);
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

Test(window, a_window_that_is_written_to_needs_an_mr_that_is)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);

	CHECK(m && mw);
	bind(mw, m);
	expect_error(1, IBV_WC_MW_BIND_ERR);
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

Test(window, a_window_is_for_the_qp_that_bound_it)
{
	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 8192, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);
	uint32_t rkey;

	CHECK(m && mw);
	rkey = bind(mw, m);
	expect_wc(1, 0, IBV_WC_BIND_MW);
	post_write(bed.b, 2, rkey, address(4096), "window");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	expect_qp_event(IBV_EVENT_QP_ACCESS_ERR, bed.a);
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}
