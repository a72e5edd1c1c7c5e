/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A pool that many threads share: a buffer is one thread's at a time. ThreadSanitizer looks on, in unit.post_tsan. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "unit/post/bed.h"

#define THREADS 4
#define TURNS 5000
#define HELD 5

TestSuite(pool_threads, .init = open_loop, .fini = close_device, .timeout = 60);

static struct vx_pool *shared;
static uint32_t twice;

/* Written without a lock: whoever has the buffer next must see it as it was left. */
static void mark(uint32_t index, uint32_t from, uint32_t to)
{
	uint32_t *owner = vx_pool_at(shared, index);

	if (*owner != from)
		__atomic_fetch_add(&twice, 1, __ATOMIC_RELAXED);
	*owner = to;
}

static void *get_and_put(void *number)
{
	const uint32_t me = (uint32_t)(uintptr_t)number;
	unsigned int seed = me;
	uint32_t held[HELD], count = 0, turn;

	for (turn = 0; turn < TURNS || count; turn++) {
		if (turn < TURNS && count < HELD && rand_r(&seed) % 2) {
			if (vx_pool_get(shared, &held[count]) == 0)
				mark(held[count++], 0, me);
		} else if (count) {
			mark(held[--count], me, 0);
			if (vx_pool_put(shared, held[count]) < 0)
				return (void *)"what was out was not taken back";
		}
	}
	return NULL;
}

Test(pool_threads, have_no_buffer_at_once)
{
	pthread_t threads[THREADS];
	void *wrong;
	uintptr_t i;

	made(vx_pool_create(pd, &(struct vx_pool_init){ .count = THREADS * HELD - 3, .size = 64, .flags = VX_POOL_SHARED }, &shared));
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, get_and_put, (void *)(i + 1)), 0);
	for (i = 0; i < THREADS; i++) {
		cr_assert_eq(pthread_join(threads[i], &wrong), 0);
		cr_expect_null(wrong, "%s", (const char *)wrong);
	}
	cr_expect_eq(twice, 0);
	cr_expect_eq(vx_pool_left(shared), THREADS * HELD - 3);
}

static void *put_the_same(void *index)
{
	return (void *)(intptr_t)vx_pool_put(shared, (uint32_t)(uintptr_t)index);
}

Test(pool_threads, of_which_one_puts_a_buffer_back)
{
	pthread_t other;
	uint32_t index, turn;
	void *rc;
	int own;

	made(vx_pool_create(pd, &(struct vx_pool_init){ .count = 4, .size = 64, .flags = VX_POOL_SHARED }, &shared));
	for (turn = 0; turn < 100; turn++) {
		made(vx_pool_get(shared, &index));
		cr_assert_eq(pthread_create(&other, NULL, put_the_same, (void *)(uintptr_t)index), 0);
		own = vx_pool_put(shared, index);
		cr_assert_eq(pthread_join(other, &rc), 0);
		cr_expect_eq(own + (int)(intptr_t)rc, -EINVAL);
		cr_expect_eq(vx_pool_left(shared), 4);
	}
}

static uint32_t ended, stolen;

static void *steal(void *unused)
{
	uint32_t index;

	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED))
		if (!vx_pool_get(shared, &index))
			__atomic_fetch_add(&stolen, 1, __ATOMIC_RELAXED);
	return unused;
}

/* What was received with a buffer is received with it again, whoever waits for one. */
Test(pool_threads, take_no_buffer_that_is_posted_again)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_wc wc[2];
	pthread_t thief;
	int turn;

	made(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 64, .flags = VX_POOL_SHARED }, &shared));
	made(vx_pool_post_recv(shared, qp, 1));
	cr_assert_eq(pthread_create(&thief, NULL, steal, NULL), 0);
	for (turn = 0; turn < 200; turn++) {
		cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &wr, &bad), 0);
		wait_for(cq, wc, 2);
		made(vx_pool_done(shared, qp, wc, 2));
	}
	__atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
	cr_assert_eq(pthread_join(thief, NULL), 0);
	cr_expect_eq(stolen, 0);
}
