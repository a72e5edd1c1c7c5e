/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "engine/clock.h"

#include <endian.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <rdma/mlx5-abi.h>

#include "calls/fd.h"
#include "calls/real.h"

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

/* A page that each context maps */
static int make_page(size_t size)
{
	int fd = memfd_create("verbsx-emu-clock", MFD_CLOEXEC);
	void *page = MAP_FAILED;

	if (fd >= 0 && !fd_add_own(fd) && !ftruncate(fd, size))
		page = REAL(mmap)(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED)
		counter = page;
	else if (fd >= 0)
		fd_close_own(fd);
	return page == MAP_FAILED ? -1 : fd;
}

int clock_map_counter(void *page, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = make_page(size);
	if (fd < 0 || REAL(mmap)(page, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return -1;
	clock_tick();
	return 0;
}

void clock_fill_info(void *page)
{
	struct mlx5_ib_clock_info *info = page;

	info->mult = 1; /* a cycle is a nanosecond */
	info->mask = UINT64_MAX;
	info->overflow_period = 1ull << 62;
}
