/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Memory on demand: pages are looked for when they are needed. */
#include <sys/mman.h>

#include "selftest.h"

TestSuite(odp, .init = open_mlx5, .fini = close_bed);

enum {
	SIZE_OF_AREA = 16384,
	ON_DEMAND = IBV_ACCESS_ON_DEMAND | ACCESS_ALL
};

static char *area(int protection)
{
	char *p = mmap(NULL, SIZE_OF_AREA, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void free_area(struct ibv_mr *mr, char *p)
{
	CHECK(!ibv_dereg_mr(mr));
	CHECK(!munmap(p, SIZE_OF_AREA));
}

Test(odp, the_device_tells_what_it_can_do)
{
	struct ibv_device_attr_ex attr;

	CHECK(!ibv_query_device_ex(bed.ctx, NULL, &attr));
	CHECK(attr.odp_caps.general_caps == (IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT));
	CHECK(attr.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_ATOMIC);
	CHECK(!(attr.odp_caps.per_transport_caps.ud_odp_caps & IBV_ODP_SUPPORT_WRITE));
}

Test(odp, a_page_is_looked_for_when_it_is_written)
{
	char *p = area(PROT_NONE);
	struct ibv_mr *mr;

	CHECK(!ibv_reg_mr(bed.pd, p, SIZE_OF_AREA, ACCESS_ALL) && errno == EFAULT);
	mr = ibv_reg_mr(bed.pd, p, SIZE_OF_AREA, ON_DEMAND);
	CHECK(mr);
	post_write(bed.a, 1, mr->rkey, (uintptr_t)p + 4096, "late");
	expect_error(1, IBV_WC_REM_ACCESS_ERR);
	expect_qp_event(IBV_EVENT_QP_ACCESS_ERR, bed.b);

	CHECK(!mprotect(p, SIZE_OF_AREA, PROT_READ | PROT_WRITE));
	reconnect(bed.a, bed.b, NO_RNR_LIMIT);
	post_write(bed.a, 2, mr->rkey, (uintptr_t)p + 4096, "late");
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(!strncmp(p + 4096, "late", 4));
	free_area(mr, p);
}

Test(odp, memory_that_is_gone_fails_the_sender)
{
	char *p = area(PROT_READ | PROT_WRITE);
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, p, SIZE_OF_AREA, ON_DEMAND);
	struct ibv_sge s = { (uintptr_t)p, 8, 0 };
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;

	CHECK(mr);
	s.lkey = mr->lkey;
	CHECK(!mprotect(p, SIZE_OF_AREA, PROT_NONE));
	CHECK(!ibv_post_send(bed.a, &wr, &bad));
	expect_error(1, IBV_WC_LOC_PROT_ERR);
	free_area(mr, p);
}

Test(odp, an_implicit_region_is_all_memory)
{
	char *p = area(PROT_READ | PROT_WRITE);
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, NULL, SIZE_MAX, ON_DEMAND);

	CHECK(mr);
	post_write(bed.a, 1, mr->rkey, (uintptr_t)p, "anywhere");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!strncmp(p, "anywhere", 8));
	CHECK(!ibv_reg_mr(bed.pd, NULL, SIZE_MAX, ACCESS_ALL) && errno == EINVAL);
	free_area(mr, p);
}

static int advise(struct ibv_pd *pd, uint32_t lkey, const char *p, enum ibv_advise_mr_advice advice,
		  uint32_t flags)
{
	struct ibv_sge s = { (uintptr_t)p, SIZE_OF_AREA, lkey };

	return ibv_advise_mr(pd, advice, flags, &s, 1);
}

Test(odp, advice_is_about_regions_on_demand)
{
	const enum ibv_advise_mr_advice write = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	const uint32_t flush = IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	char *p = area(PROT_READ | PROT_WRITE);
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, p, SIZE_OF_AREA, ON_DEMAND);
	struct ibv_pd *other = ibv_alloc_pd(bed.ctx);
	unsigned char resident[SIZE_OF_AREA / 4096];

	CHECK(mr && other);
	CHECK(!advise(bed.pd, mr->lkey, p, write, flush));
	CHECK(!mincore(p, SIZE_OF_AREA, resident) && resident[0] & 1 && resident[3] & 1);
	CHECK(advise(bed.pd, bed.mr->lkey, bed.buf, write, flush) == ENOENT);
	CHECK(advise(other, mr->lkey, p, write, flush) == EPERM);
	CHECK(advise(bed.pd, mr->lkey, p + SIZE_OF_AREA, write, flush) == EFAULT);
	CHECK(!mprotect(p, SIZE_OF_AREA, PROT_NONE));
	CHECK(advise(bed.pd, mr->lkey, p, IBV_ADVISE_MR_ADVICE_PREFETCH, flush) == EFAULT);
	CHECK(!advise(bed.pd, mr->lkey, p, IBV_ADVISE_MR_ADVICE_PREFETCH, 0));
	CHECK(!ibv_dealloc_pd(other));
	free_area(mr, p);
}
