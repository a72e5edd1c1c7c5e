/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "calls/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "calls/real.h"
#include "engine/clock.h"
#include "objects/dm.h"
#include "trace.h"

/* UARs are above all the offsets that encode a command */
#define UAR_SHIFT 32

/* In offsets counted in pages */
#define COMMAND_SHIFT 8
#define INDEX_MASK 0xff

off_t pages_uar_offset(unsigned int handle)
{
	return (off_t)handle << UAR_SHIFT;
}

/* Doorbells need not be seen (the doorbell records say as much), so any memory does. */
void *pages_map(size_t size, off_t offset)
{
	void *page = REAL(mmap)(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	off_t number = offset / sysconf(_SC_PAGESIZE), command = number >> COMMAND_SHIFT;

	TRACE("mmap offset %llx length %zu", (unsigned long long)offset, size);
	if (page == MAP_FAILED || offset >> UAR_SHIFT)
		return page;
	if (command == MLX5_IB_MMAP_CORE_CLOCK && clock_map_counter(page, size)) {
		munmap(page, size);
		return MAP_FAILED;
	}
	if (command == MLX5_IB_MMAP_CLOCK_INFO)
		clock_fill_info(page);
	if (command == MLX5_IB_MMAP_DEVICE_MEM)
		dm_map(number & INDEX_MASK, page, size);
	return page;
}
