/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Memory regions that change. */
#include "bed.h"

TestSuite(mr, .init = open_bed, .fini = close_bed);

Test(mr, a_rereg_moves_the_region)
{
	skip_on_soft_roce("soft-RoCE does not change regions");

	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 4096, ACCESS_ALL);
	uint32_t old;

	CHECK(m);
	old = m->rkey;
	CHECK(!ibv_rereg_mr(m, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, bed.buf + 49152, 4096, 0));
	post_write(bed.a, 1, m->rkey, address(49152), "moved");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 49152, "moved", 5));
	post_write(bed.a, 2, old, address(49152), "stale");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	CHECK(!ibv_dereg_mr(m));
}

Test(mr, a_region_of_another_pd_is_refused)
{
	skip_on_soft_roce("soft-RoCE does not change regions");

	struct ibv_mr *m = ibv_reg_mr(bed.pd, bed.buf, 4096, ACCESS_ALL);
	struct ibv_pd *other = ibv_alloc_pd(bed.ctx);

	CHECK(m && other);
	CHECK(!ibv_rereg_mr(m, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0));
	CHECK(ibv_dealloc_pd(other) == EBUSY);
	post_write(bed.a, 2, m->rkey, address(0), "other");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	CHECK(!ibv_dereg_mr(m) && !ibv_dealloc_pd(other));
}
