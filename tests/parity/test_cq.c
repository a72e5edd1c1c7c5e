/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "device.h"

#define ENTRIES 100

Twin(test_cq, CQAPITest, test_create_cq)
{
	struct vx_cq *cq;
	int vector;

	for (vector = 0; vector < vx_context_raw(ctx)->num_comp_vectors; vector++) {
		made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = ENTRIES, .comp_vector = (uint32_t)vector }, &cq));
		cr_expect_geq(vx_cq_raw(cq)->cqe, ENTRIES);
		cr_expect_null(vx_cq_raw(cq)->channel);
		closed(cq);
	}
}

Twin(test_cq, CQAPITest, test_create_cq_with_comp_channel)
{
	struct vx_comp_channel *channel;
	struct vx_cq *cq;

	made(vx_comp_channel_create(ctx, NULL, &channel));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = ENTRIES, .channel = channel }, &cq));
	cr_expect_eq(vx_cq_raw(cq)->channel, vx_comp_channel_raw(channel));
	closed(cq);
	closed(channel);
}

Twin(test_cq, CQAPITest, test_create_cq_bad_flow)
{
	struct vx_cq_init too_long = { .cqe = (uint32_t)limits.max_cqe + 1 };
	struct vx_cq_init strange_vector = { .comp_vector = (uint32_t)vx_context_raw(ctx)->num_comp_vectors };
	struct vx_cq *cq;

	refused(vx_cq_create(ctx, &too_long, &cq));
	cr_expect_not_null(strstr(vx_error_text(), "cqe"), "%s", vx_error_text());
	refused(vx_cq_create(ctx, &strange_vector, &cq));
	cr_expect_not_null(strstr(vx_error_text(), "comp_vector"), "%s", vx_error_text());
}

Twin(test_cq, CQTest, test_resize_cq)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = ENTRIES }, &cq));
	made(vx_cq_resize(cq, 5 * ENTRIES));
	cr_expect_geq(vx_cq_raw(cq)->cqe, 5 * ENTRIES);
	made(vx_cq_resize(cq, ENTRIES));
	cr_expect(vx_cq_raw(cq)->cqe >= ENTRIES && vx_cq_raw(cq)->cqe < 5 * ENTRIES, "%d", vx_cq_raw(cq)->cqe);
	refused(vx_cq_resize(cq, limits.max_cqe + 1));
	closed(cq);
}
