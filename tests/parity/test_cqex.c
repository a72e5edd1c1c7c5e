/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "device.h"

#define ENTRIES 100
#define STANDARD_FLAGS ((uint64_t)IBV_WC_STANDARD_FLAGS)

/* Devices may lack what is beyond the standard flags. */
static void try_cq(struct vx_cq_init init, bool is_standard)
{
	struct vx_cq *cq;
	int code = vx_cq_create(ctx, &init, &cq);

	if (code == -EOPNOTSUPP && !is_standard)
		return;
	cr_assert_eq(code, 0, "%s", vx_error_text());
	cr_expect_geq(vx_cq_raw(cq)->cqe, ENTRIES);
	closed(cq);
}

Twin(test_cqex, CQEXAPITest, test_create_cq_ex)
{
	uint64_t flag;

	for (flag = 1; flag <= IBV_CREATE_CQ_SUP_WC_FLAGS; flag <<= 1)
		try_cq((struct vx_cq_init){ .cqe = ENTRIES, .wc_flags = flag }, flag & STANDARD_FLAGS);
	try_cq((struct vx_cq_init){ .cqe = ENTRIES, .wc_flags = STANDARD_FLAGS }, true);
	for (flag = IBV_CREATE_CQ_ATTR_SINGLE_THREADED; flag <= IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN; flag <<= 1)
		try_cq((struct vx_cq_init){ .cqe = ENTRIES, .flags = (uint32_t)flag }, false);
}

/* Not tried: creation flags that nobody knows, which the provider of soft-RoCE does not look at. */
Twin(test_cqex, CQEXAPITest, test_create_cq_ex_bad_flow)
{
	struct vx_cq_init too_long = { .cqe = (uint32_t)limits.max_cqe + 1, .wc_flags = STANDARD_FLAGS };
	struct vx_cq_init strange_wc_flags = { .cqe = ENTRIES, .wc_flags = 1ull << 63 };
	struct vx_cq_init strange_vector = { .cqe = ENTRIES, .wc_flags = STANDARD_FLAGS,
					     .comp_vector = (uint32_t)vx_ctx_raw(ctx)->num_comp_vectors + 1 };
	struct vx_cq *cq;

	cr_expect_eq(vx_cq_create(ctx, &too_long, &cq), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "cqe"), "%s", vx_error_text());
	cr_expect_eq(vx_cq_create(ctx, &strange_vector, &cq), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "comp_vector"), "%s", vx_error_text());
	refused(vx_cq_create(ctx, &strange_wc_flags, &cq));
}
