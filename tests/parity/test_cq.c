/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <unistd.h>

#include "pair.h"

#define ENTRIES 100
#define LONG_ENOUGH 200000 /* microseconds for a few writes to complete, as nothing is polled */

/* The sizes to try: the least, the middle, the most. */
static uint32_t size_of(int i)
{
	const int sizes[] = { 1, limits.max_cqe / 2, limits.max_cqe };

	return (uint32_t)sizes[i];
}

static struct vx_cq *new_cq(struct vx_cq_init init)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, &init, &cq));
	cr_expect_geq(vx_cq_raw(cq)->cqe, (int)init.cqe);
	cr_expect_eq(vx_cq_raw(cq)->channel, init.channel ? vx_comp_channel_raw(init.channel) : NULL);
	return cq;
}

Twin(test_cq, CQAPITest, test_create_cq)
{
	int i, vector;

	for (i = 0; i < 3; i++)
		closed(new_cq((struct vx_cq_init){ .cqe = size_of(i) }));
	for (vector = 0; vector < vx_ctx_raw(ctx)->num_comp_vectors; vector++)
		closed(new_cq((struct vx_cq_init){ .cqe = ENTRIES, .comp_vector = (uint32_t)vector }));
}

/* Closing the channel closes the CQ that uses it. */
Twin(test_cq, CQAPITest, test_create_cq_with_comp_channel)
{
	struct vx_comp_channel *channel;
	int i;

	for (i = 0; i < 3; i++) {
		made(vx_comp_channel_create(ctx, NULL, &channel));
		new_cq((struct vx_cq_init){ .cqe = size_of(i), .channel = channel });
		closed(channel);
	}
}

Twin(test_cq, CQAPITest, test_create_cq_bad_flow)
{
	struct vx_cq_init too_long = { .cqe = (uint32_t)limits.max_cqe + 1 };
	struct vx_cq_init strange_vector = { .comp_vector = (uint32_t)vx_ctx_raw(ctx)->num_comp_vectors };
	struct vx_cq *cq;

	cr_expect_eq(vx_cq_create(ctx, &too_long, &cq), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "cqe"), "%s", vx_error_text());
	cr_expect_eq(vx_cq_create(ctx, &strange_vector, &cq), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "comp_vector"), "%s", vx_error_text());
}

/* On a busy machine it may take longer: what is posted later to others has ended as well. */
static void wait_for_writes(void)
{
	struct pair later = connected();
	int i;

	usleep(LONG_ENOUGH);
	for (i = 0; i < 3; i++)
		cr_expect_eq(write_by(&later, vx_mr_rkey(later.mr)), IBV_WC_SUCCESS);
}

/* A CQ cannot shrink to less than has completed in it. */
static void expect_no_room(void)
{
	struct pair p = connected();
	int i, size;

	made(vx_cq_resize(p.cq, 7));
	size = vx_cq_raw(p.cq)->cqe;
	for (i = 0; i < size - 1; i++)
		post_write(&p, (char *)vx_mr_addr(p.mr) + ROOM / 2, vx_mr_rkey(p.mr));
	wait_for_writes();
	cr_expect_eq(vx_cq_resize(p.cq, 1), -EINVAL);
	for (i = 0; i < size - 1; i++)
		cr_expect_eq(next(&p), IBV_WC_SUCCESS);
}

Twin(test_cq, CQTest, test_resize_cq)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = ENTRIES }, &cq));
	made(vx_cq_resize(cq, 5 * ENTRIES));
	cr_expect_geq(vx_cq_raw(cq)->cqe, 5 * ENTRIES);
	made(vx_cq_resize(cq, ENTRIES));
	cr_expect(vx_cq_raw(cq)->cqe >= ENTRIES && vx_cq_raw(cq)->cqe < 5 * ENTRIES, "%d", vx_cq_raw(cq)->cqe);
	cr_expect_eq(vx_cq_resize(cq, limits.max_cqe + 1), -EINVAL);
	expect_no_room();
}
