/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Pools of buffers: what is in them. */

#include <errno.h>
#include <string.h>

#include "pool_bed.h"

TestSuite(pool, .init = open_loop, .fini = close_device, .timeout = 20);

Test(pool, needs_count_and_size)
{
	struct vx_pool *pool = NULL;

	cr_expect_eq(vx_pool_create(pd, NULL, &pool), -EINVAL);
	expect_reason("count is 0");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1u << 31, .size = 1 }, &pool), -EINVAL);
	expect_reason("count is 2147483648, and must be from 1 to 2147483647");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1 }, &pool), -EINVAL);
	expect_reason("size is 0");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1, .headroom = UINT32_MAX }, &pool), -EINVAL);
	expect_reason("headroom and size are 4294967296 bytes");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1, .flags = 4 }, &pool), -EINVAL);
	expect_reason("flags has 0x4, which is none of enum vx_pool_flags");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1, .comp_mask = 1 }, &pool), -EINVAL);
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1 }, NULL), -EINVAL);
	cr_expect_null(pool);
	cr_expect_eq(live("mr"), 0);
}

Test(pool, is_made_whole_or_not_at_all)
{
	struct vx_pool *pool = NULL;

	fail_calls("reg_mr:ENOMEM");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1 }, &pool), -ENOMEM);
	expect_reason("ibv_reg_mr_iova2");
	cr_expect_null(pool);
}

Test(pool, has_each_buffer_once)
{
	struct vx_pool *pool = new_pool_with((struct vx_pool_init){ .count = COUNT, .headroom = HEADROOM });
	char *messages[COUNT];
	uint32_t i, index;

	cr_expect_eq(vx_pool_left(pool), COUNT);
	for (i = 0; i < COUNT; i++) {
		index = get(pool);
		cr_expect_eq(index, i);
		messages[i] = vx_pool_at(pool, index);
		cr_expect_eq((uintptr_t)messages[i] % 64, 0);
		cr_expect(!i || messages[i] - messages[i - 1] >= SIZE + HEADROOM);
	}
	cr_expect_eq(vx_pool_left(pool), 0);
}

Test(pool, that_is_empty_is_no_error)
{
	struct vx_pool *pool = new_pool(1, 0);
	uint32_t index = get(pool);

	cr_expect_eq(vx_pool_put(pool, 7), -EINVAL);
	cr_expect_eq(vx_pool_get(pool, &index), -ENOBUFS);
	cr_expect_eq(vx_error()->code, -EINVAL);
}

Test(pool, gives_first_what_came_back_last)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	uint32_t a = get(pool), b = get(pool);

	made(vx_pool_put(pool, b));
	made(vx_pool_put(pool, a));
	cr_expect_eq(get(pool), a);
	cr_expect_eq(get(pool), b);
}

Test(pool, takes_nothing_back_twice)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	uint32_t index = get(pool);

	made(vx_pool_put(pool, index));
	cr_expect_eq(vx_pool_put(pool, index), -EINVAL);
	expect_reason("buffer 0 is in the pool");
	cr_expect_eq(vx_pool_put(pool, COUNT), -EINVAL);
	expect_reason("there is no buffer 8 of 8");
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool, does_not_take_back_what_is_posted)
{
	struct vx_pool *pool = new_pool(COUNT, 0);

	made(vx_pool_post_recv(pool, qp, 1));
	cr_expect_eq(vx_pool_put(pool, 0), -EINVAL);
	expect_reason("buffer 0 is posted as a receive");
}

/* A pool has no flag for that, as a region has. */
Test(pool, is_written_to)
{
	struct vx_pool_init init = { .count = 2, .size = 64, .access = (int)VX_NONE };
	struct vx_pool *pool;

	cr_expect_eq(vx_pool_create(pd, &init, &pool), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_pool_create");
	expect_reason("access is below 0, and enum ibv_access_flags has no such flags; a pool is written to");
}

Test(pool, keeps_its_region)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	void *region = (void *)(uintptr_t)vx_pool_mr(pool);

	made(vx_close(region));
	made(vx_close(region));
	cr_expect_null(vx_give_back(region));
	expect_reason("its pool keeps it, however often it is closed, and ends it");
	memset(vx_pool_at(pool, 1), 7, SIZE);
	made(vx_close(pool));
	cr_expect_eq(live("mr"), 0);
}

Test(pool, names_a_message_in_an_entry)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_sge sge;

	made(vx_pool_sge(pool, 3, 10, &sge));
	cr_expect_eq(sge.addr, (uintptr_t)vx_pool_at(pool, 3));
	cr_expect_eq(sge.length, 10);
	cr_expect_eq(sge.lkey, vx_mr_lkey(vx_pool_mr(pool)));
	made(vx_pool_sge(pool, 3, SIZE, &sge));
	cr_expect_eq(vx_pool_sge(pool, 3, SIZE + 1, &sge), -EINVAL);
	expect_reason("length = 257, and its buffers have 256 bytes");
	cr_expect_eq(vx_pool_sge(pool, COUNT, 1, &sge), -EINVAL);
	cr_expect_eq(vx_pool_sge(pool, 0, 1, NULL), -EINVAL);
}

Test(pool, knows_its_own_requests)
{
	struct vx_pool *pool = new_pool(COUNT, 0), *other = new_pool(COUNT, 0);
	uint64_t wr_id = vx_pool_wr_id(pool, 5);

	cr_expect_eq(vx_pool_at(pool, wr_id), vx_pool_at(pool, 5));
	cr_expect_null(vx_pool_at(other, wr_id));
	cr_expect_null(vx_pool_at(pool, COUNT));
	cr_expect_null(vx_pool_at(pool, wr_id - 5 + COUNT));
	cr_expect_null(vx_pool_at(pool, (uintptr_t)pool));
	cr_expect_eq(vx_pool_wr_id(pool, COUNT), 0);
}

Test(pool, has_memory_in_huge_pages_or_says_why_not)
{
	struct vx_pool *pool = NULL;
	const struct vx_pool_init init = { .count = COUNT, .size = SIZE, .flags = VX_POOL_HUGE };
	int rc = vx_pool_create(pd, &init, &pool);

	if (rc == 0)
		cr_expect_eq((uintptr_t)vx_mr_addr(vx_pool_mr(pool)) % (1 << 21), 0);
	else
		expect_reason("in huge pages of");
}

Test(pool, lets_a_peer_do_what_it_was_made_for)
{
	struct vx_pool *pool = new_pool_with((struct vx_pool_init){ .count = 2, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE });
	struct ibv_sge sge;
	struct ibv_wc wc;

	strcpy(vx_pool_at(pool, 0), "hello");
	made(vx_pool_sge(pool, 0, 6, &sge));
	made(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, &sge, 1, vx_mr_rkey(vx_pool_mr(pool)), (uintptr_t)vx_pool_at(pool, 1)));
	wait_for(cq, &wc, 1);
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
	cr_expect_str_eq(vx_pool_at(pool, 1), "hello");
}

Test(pool, is_closed_with_all_that_it_has)
{
	struct vx_pool *pool = new_pool(COUNT, 0);

	cr_expect_eq(live("mr"), 1);
	made(vx_close(pool));
	cr_expect_eq(live("mr"), 0);
	new_pool(COUNT, VX_POOL_SHARED);
	made(vx_close(pd));
	cr_expect_eq(live("mr"), 0);
}

Test(pool, stays_where_its_region_cannot_go)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	uint32_t index = get(pool);

	fail_calls("dereg_mr:EBUSY");
	cr_expect_eq(vx_close(pool), -EBUSY);
	made(vx_pool_put(pool, index));
	made(vx_close(pool));
}

Test(pool, is_not_given_back_as_it_is_nobodys_but_ours)
{
	struct vx_pool *pool = new_pool(COUNT, 0);

	made(vx_close(qp));
	cr_expect_null(vx_give_back(pool));
	expect_reason("it is libverbsx's own, and vx_close() ends it");
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool, prints_what_it_is)
{
	const struct vx_pool_init init = { .count = 2, .flags = VX_POOL_HUGE };
	struct vx_pool *pool = new_pool_with((struct vx_pool_init){ .count = COUNT, .headroom = HEADROOM, .flags = VX_POOL_SHARED });
	char text[256] = "", expected[256], name[64];

	vx_object_name(name, sizeof(name), pd);
	vx_snprint(text, sizeof(text), VX_TYPEOF(pool), pool, VX_COMPACT);
	snprintf(expected, sizeof(expected), "{object=\"%s pool #1\" uses=[\"%s\"] count=8 size=\"256 B\"(256) headroom=\"40 B\"(40) "
		 "flags=VX_POOL_SHARED(0x1)}", vx_ctx_name(ctx), name);
	cr_expect_str_eq(text, expected);
	vx_snprint(text, sizeof(text), VX_TYPEOF(&init), &init, VX_COMPACT);
	cr_expect_str_eq(text, "{count=2 size=\"0 B\"(0) headroom=\"0 B\"(0) access=default(0) flags=VX_POOL_HUGE(0x2)}");
}
