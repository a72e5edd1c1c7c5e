/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/clock.h"

#include <endian.h>
#include <time.h>
#include <rdma/mlx5-abi.h>

/* Free running: high word, low word. All contexts share it, and it stays mapped. */
static volatile __be32 *counter;

uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * NS_PER_MS + t.tv_nsec;
}

uint64_t clock_real_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec << 32 | t.tv_nsec;
}

void clock_tick(void)
{
	uint64_t now;

	if (!counter)
		return;
	now = clock_now();
	counter[0] = htobe32(now >> 32);
	counter[1] = htobe32(now);
}

void clock_set_counter(void *page)
{
	counter = page;
	clock_tick();
}

void clock_fill_info(void *page)
{
	struct mlx5_ib_clock_info *info = page;

	info->mult = 1; /* a cycle is a nanosecond */
	info->mask = UINT64_MAX;
	info->overflow_period = 1ull << 62;
}
