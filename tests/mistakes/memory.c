/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Registering memory. */

#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_FIXED_NOREPLACE */

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <verbsx/config.h>

#include "mistakes.h"

/* A place that is the same in every run, so that the page of all mistakes is. */
#define PLACE ((char *)0x200000000000)
#define PAGE 4096

static char *pages(size_t count)
{
	char *start = mmap(PLACE, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	must(start == MAP_FAILED ? -errno : 0);
	return start;
}

static int reg(struct bench *b, struct vx_mr_init init)
{
	int rc;

	expect_answer(b);
	rc = vx_mr_create(b->pd, &init, &(struct vx_mr *){ NULL });
	munmap(PLACE, 4 * PAGE);
	return rc;
}

static int remote_write_alone(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1), .length = PAGE, .access = IBV_ACCESS_REMOTE_WRITE });
}

static int remote_atomic_alone(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1), .length = PAGE, .access = IBV_ACCESS_REMOTE_ATOMIC });
}

static int any_access(struct bench *b)
{
	return vx_mr_create(b->pd, &(struct vx_mr_init){ .length = 4096, .access = -1 }, &(struct vx_mr *){ NULL });
}

static int unknown_access(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1), .length = PAGE, .access = IBV_ACCESS_LOCAL_WRITE | 1 << 13 });
}

static int freed(struct bench *b)
{
	char *start = pages(1);

	munmap(start, PAGE);
	return reg(b, (struct vx_mr_init){ .addr = start, .length = PAGE });
}

static int past_the_end(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(2), .length = 4 * PAGE });
}

static int read_only(struct bench *b)
{
	char *start = pages(1);

	mprotect(start, PAGE, PROT_READ);
	return reg(b, (struct vx_mr_init){ .addr = start, .length = PAGE });
}

static int windows_of_read_only(struct bench *b)
{
	char *start = pages(1);

	mprotect(start, PAGE, PROT_READ);
	return reg(b, (struct vx_mr_init){ .addr = start, .length = PAGE, .access = IBV_ACCESS_MW_BIND });
}

static int guard_page(struct bench *b)
{
	char *start = pages(2);

	mprotect(start + PAGE, PAGE, PROT_NONE);
	return reg(b, (struct vx_mr_init){ .addr = start, .length = 2 * PAGE });
}

static int odd_iova(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1), .length = PAGE, .iova = 0x1234 });
}

static int beyond_device_memory(struct bench *b)
{
	struct vx_mr_init init = { .offset = 4096, .length = 64 };

	must(vx_dm_create(b->ctx, &(struct vx_dm_init){ .length = 128 }, &init.dm));
	return reg(b, init);
}

static int negative_length(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1), .length = (size_t)-1 });
}

static int no_length(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1) });
}

static int two_sources(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1), .length = PAGE, .fd = 1 });
}

#if VX_RDMA_CORE >= 34
static int file_as_dmabuf(struct bench *b)
{
	int fd = open("/dev/null", O_RDWR), at = dup2(fd, 500), rc;

	close(fd);
	rc = reg(b, (struct vx_mr_init){ .fd = at, .length = PAGE });
	close(at);
	return rc;
}

static int closed_dmabuf(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .fd = 500, .length = PAGE });
}
#endif

static int on_demand(struct bench *b)
{
	return reg(b, (struct vx_mr_init){
		.addr = pages(1), .length = PAGE, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND });
}

static int not_huge(struct bench *b)
{
	return reg(b, (struct vx_mr_init){
		.addr = pages(1), .length = PAGE, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_HUGETLB });
}

static int no_huge_pages(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .length = (size_t)1 << 40, .flags = VX_MR_HUGE });
}

#if VX_RDMA_CORE < 45
static int right_of_newer_ones(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .addr = pages(1), .length = PAGE, .access = IBV_ACCESS_LOCAL_WRITE | 1 << 8 });
}
#endif

static int locked_memory(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .length = 64 << 20 });
}

static int one_more(struct bench *b)
{
	return reg(b, (struct vx_mr_init){ .length = PAGE });
}

/* Without support for fork(), a region that is no longer good can only come of IBV_REREG_MR_ERR_CMD; one as before was not touched. */
static int change(struct bench *b, struct vx_mr_change change)
{
	enum vx_mr_state state;
	struct vx_errno_info info;
	struct vx_mr *mr;
	int rc;

	must(vx_mr_create(b->pd, &(struct vx_mr_init){ .length = PAGE }, &mr));
	expect_answer(b);
	rc = vx_mr_rereg(mr, &change, &state);
	must(state == VX_MR_CHANGED ? -EINVAL : 0);
	vx_errno_of(rc, &info);
	if (state == VX_MR_BROKEN)
		snprintf(b->raw, sizeof(b->raw), "IBV_REREG_MR_ERR_CMD, errno %s", info.name);
	munmap(PLACE, PAGE);
	return rc;
}

static int changed_to_remote_write_alone(struct bench *b)
{
	return change(b, (struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_WRITE });
}

static int changed_to_freed(struct bench *b)
{
	char *start = pages(1);

	munmap(start, PAGE);
	return change(b, (struct vx_mr_change){ .addr = start, .length = PAGE });
}

static int copy(struct bench *b, uint64_t offset, size_t length, bool back)
{
	char bytes[256] = { 0 };
	struct vx_dm *dm;

	must(vx_dm_create(b->ctx, &(struct vx_dm_init){ .length = 128 }, &dm));
	return back ? vx_dm_memcpy_from(dm, bytes, offset, length) : vx_dm_memcpy_to(dm, offset, bytes, length);
}

static int copy_odd(struct bench *b)
{
	return copy(b, 0, 7, false);
}

static int copy_back_odd(struct bench *b)
{
	return copy(b, 2, 8, true);
}

static int copy_too_far(struct bench *b)
{
	return copy(b, 120, 16, false);
}

static const struct mistake mistakes[] = {
	{ "a peer may write, the device may not", remote_write_alone, -EINVAL,
	  "IBV_ACCESS_REMOTE_WRITE needs IBV_ACCESS_LOCAL_WRITE", NULL, EMU | SOFT_ROCE },
	{ "a peer may do atomics, the device may not write", remote_atomic_alone, -EINVAL,
	  "IBV_ACCESS_REMOTE_ATOMIC needs IBV_ACCESS_LOCAL_WRITE", NULL, EMU | SOFT_ROCE },
	{ "access of -1", any_access, -EINVAL, "access is below 0" },
	{ "a flag that does not exist", unknown_access, -EINVAL, "access has 0x2000" },
#if VX_RDMA_CORE < 45
	{ "a right that a newer rdma-core has", right_of_newer_ones, -EINVAL,
	  "IBV_ACCESS_FLUSH_GLOBAL of access needs rdma-core 45, and", "reg_mr:EINVAL" },
#endif
	{ "memory that was freed", freed, -EFAULT, "0x200000000000 to 0x200000001000 is not mapped", "reg_mr:EFAULT", EMU | SOFT_ROCE },
	{ "a length beyond what was allocated", past_the_end, -EFAULT, "0x200000002000 to 0x200000004000 is not mapped",
	  "reg_mr:EFAULT", EMU | SOFT_ROCE },
	{ "a constant, to be written to", read_only, -EFAULT, "is mapped read-only", "reg_mr:EFAULT", EMU | SOFT_ROCE },
	{ "a constant, for windows to be read by", windows_of_read_only, -EFAULT,
	  "is mapped read-only, and windows of the region (IBV_ACCESS_MW_BIND) may be written to", "reg_mr:EFAULT", EMU | SOFT_ROCE },
	{ "a buffer and the guard page behind it", guard_page, -EFAULT, "0x200000001000 to 0x200000002000 is mapped without any right",
	  "reg_mr:EFAULT", EMU | SOFT_ROCE },
	{ "a length that became negative", negative_length, -EINVAL, "addr + length is beyond the end of memory",
	  "reg_mr:EINVAL" },
	{ "an address for peers that begins elsewhere in its page", odd_iova, -EINVAL,
	  "Invalid argument: iova = 0x1234 and addr = 0x200000000000 must have the same offset in a page", NULL, EMU | SOFT_ROCE },
	{ "a region beyond the end of device memory", beyond_device_memory, -EINVAL,
	  "Invalid argument: offset = 4096 with length = 64 may be beyond the end of the device memory" },
	{ "a length that was left 0", no_length, -EINVAL, "length is 0" },
	{ "ordinary memory and a dma-buf in one", two_sources, -EINVAL, "fd and addr exclude each other" },
#if VX_RDMA_CORE >= 34
	{ "a file for a dma-buf", file_as_dmabuf, -EINVAL, "fd = 500 is /dev/null, no dma-buf", "reg_dmabuf_mr:EINVAL" },
	{ "a dma-buf that was closed", closed_dmabuf, -EBADF, "fd = 500 is no open file", "reg_dmabuf_mr:EBADF" },
#endif
	{ "on-demand paging on a device without it", on_demand, -EOPNOTSUPP, "IBV_ODP_SUPPORT" },
	{ "on-demand paging on a device without it", on_demand, -EINVAL, "IBV_ODP_SUPPORT", NULL, SOFT_ROCE },
	{ "huge pages promised, ordinary ones given", not_huge, -EINVAL, "addr has pages of 4 KiB", "reg_mr:EINVAL" },
	{ "more huge pages than there are", no_huge_pages, -ENOMEM, "sysctl vm.nr_hugepages says how many there are" },
	{ "a peer may write from now on, the device may not", changed_to_remote_write_alone, -EINVAL,
	  "IBV_ACCESS_REMOTE_WRITE needs IBV_ACCESS_LOCAL_WRITE" },
	{ "a region moved to memory that was freed", changed_to_freed, -EFAULT, "0x200000000000 to 0x200000001000 is not mapped",
	  "rereg_mr:EFAULT" },
	{ "7 bytes written to device memory", copy_odd, -EINVAL, "length = 7, but a device may copy only multiples of 4 bytes" },
	{ "device memory read from its byte 2", copy_back_odd, -EINVAL, "dm_offset = 2, but" },
	{ "written beyond the end of device memory", copy_too_far, -EFAULT, "dm_offset = 120 with length = 16 may be beyond" },
	{ "more memory than may be locked", locked_memory, -ENOMEM, "64 MiB asked for, RLIMIT_MEMLOCK is 1 MiB (ulimit -l)",
	  "reg_mr:ENOMEM" },
	{ "regions until there are no more", one_more, -ENOMEM, "max_mr = 16384", "reg_mr:ENOMEM" },
};

CHAPTER(memory, "Registering memory");
