/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "device.h"

#define ENTRIES 100
#define STANDARD_FLAGS ((uint64_t)IBV_WC_STANDARD_FLAGS)

Twin(test_cqex, CQEXAPITest, test_create_cq_ex)
{
	uint64_t flag;
	struct vx_cq *cq;

	for (flag = 1; flag <= STANDARD_FLAGS; flag <<= 1) {
		made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = ENTRIES, .wc_flags = flag }, &cq));
		cr_expect_geq(vx_cq_raw(cq)->cqe, ENTRIES);
		closed(cq);
	}
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = STANDARD_FLAGS }, &cq));
	closed(cq);
}

/* Not tried: creation flags that nobody knows, which the provider of soft-RoCE does not look at. */
Twin(test_cqex, CQEXAPITest, test_create_cq_ex_bad_flow)
{
	struct vx_cq_init too_long = { .cqe = (uint32_t)limits.max_cqe + 1, .wc_flags = STANDARD_FLAGS };
	struct vx_cq_init strange_wc_flags = { .cqe = ENTRIES, .wc_flags = 1ull << 63 };
	struct vx_cq *cq;

	refused(vx_cq_create(ctx, &too_long, &cq));
	cr_expect_not_null(strstr(vx_error_text(), "cqe"), "%s", vx_error_text());
	refused(vx_cq_create(ctx, &strange_wc_flags, &cq));
}
