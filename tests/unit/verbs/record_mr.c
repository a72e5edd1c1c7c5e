/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which call makes a region, and with what. */

#include <errno.h>
#include <stdint.h>

#include "unit/record.h"

static char memory[64];
static struct ibv_mr raw;
static int ended;
static struct {
	struct ibv_pd *pd;
	void *addr;
	size_t length;
	uint64_t iova, offset;
	int fd;
	unsigned int access;
} seen;

static struct ibv_mr *reg(struct ibv_pd *raw_pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	seen.pd = raw_pd;
	seen.addr = addr;
	seen.length = length;
	seen.iova = iova;
	seen.access = access;
	return &raw;
}

static int dereg(struct ibv_mr *mr)
{
	cr_expect_eq(mr, &raw);
	ended++;
	return 0;
}

static void open_recording(void)
{
	open_device();
	replace("ibv_reg_mr_iova2", reg);
	replace("ibv_dereg_mr", dereg);
}

static void close_recording(void)
{
	close_device();
	cr_expect_eq(ended, 1);
}

TestSuite(record_mr, .init = open_recording, .fini = close_recording);

static void make(struct vx_mr_init init)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &init, &mr));
	cr_expect_eq(vx_mr_raw(mr), &raw);
}

Test(record_mr, of_memory)
{
	make((struct vx_mr_init){ .addr = memory, .length = 64 });
	cr_expect_eq(seen.pd, vx_pd_raw(pd));
	cr_expect_eq(seen.addr, memory);
	cr_expect_eq(seen.length, 64);
	cr_expect_eq(seen.iova, (uintptr_t)memory);
	cr_expect_eq(seen.access, IBV_ACCESS_LOCAL_WRITE);
}

Test(record_mr, that_is_read_only)
{
	make((struct vx_mr_init){ .addr = memory, .length = 64, .flags = VX_MR_READ_ONLY });
	cr_expect_eq(seen.access, 0);
}

Test(record_mr, with_an_iova)
{
	make((struct vx_mr_init){ .addr = memory, .length = 64, .iova = 0x1000,
				  .access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING });
	cr_expect_eq(seen.addr, memory);
	cr_expect_eq(seen.iova, 0x1000);
	cr_expect_eq(seen.access, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING);
}

Test(record_mr, that_begins_at_zero)
{
	make((struct vx_mr_init){ .addr = memory, .length = 64, .access = IBV_ACCESS_ZERO_BASED });
	cr_expect_eq(seen.iova, 0);
	cr_expect_eq(seen.access, IBV_ACCESS_ZERO_BASED);
}

Test(record_mr, with_an_iova_of_0)
{
	make((struct vx_mr_init){ .addr = memory, .length = 64, .flags = VX_MR_IOVA, .access = IBV_ACCESS_REMOTE_READ });
	cr_expect_eq(seen.addr, memory);
	cr_expect_eq(seen.iova, 0);
	cr_expect_eq(seen.access, IBV_ACCESS_REMOTE_READ, "what says so is not passed on");
}

Test(record_mr, on_demand_in_memory_of_its_own)
{
	make((struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE });
	cr_expect_not_null(seen.addr);
	cr_expect_eq(seen.iova, (uintptr_t)seen.addr);
	cr_expect_eq(seen.access, IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE);
}

Test(record_mr, that_is_implicit)
{
	make((struct vx_mr_init){ .flags = VX_MR_IMPLICIT });
	cr_expect_null(seen.addr);
	cr_expect_eq(seen.length, SIZE_MAX);
	cr_expect_eq(seen.iova, 0);
	cr_expect_eq(seen.access, IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE);
}

static struct ibv_mr *reg_nothing(struct ibv_pd *raw_pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	reg(raw_pd, addr, length, iova, access);
	errno = EINVAL;
	return NULL;
}

static int query_small(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr,
		       size_t size)
{
	(void)context, (void)input, (void)size;
	*attr = (struct ibv_device_attr_ex){ .orig_attr.max_mr_size = 32 };
	return 0;
}

Test(record_mr, that_is_longer_than_the_device_allows)
{
	struct vx_mr *mr;

	make((struct vx_mr_init){ .addr = memory, .length = 64 });
	replace("ibv_reg_mr_iova2", reg_nothing);
	provider()->query_device_ex = query_small;
	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = 64 }, &mr), -EINVAL);
	expect_reason("length = 64 B (64), but the device allows max_mr_size = 32");
}

static struct ibv_mr *alloc_null(struct ibv_pd *raw_pd)
{
	seen.pd = raw_pd;
	return &raw;
}

Test(record_mr, that_is_null)
{
	provider()->alloc_null_mr = alloc_null;
	make((struct vx_mr_init){ .flags = VX_MR_NULL });
	cr_expect_eq(seen.pd, vx_pd_raw(pd));
}

#if VX_RDMA_CORE >= 34

static struct ibv_mr *reg_dmabuf(struct ibv_pd *raw_pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	seen.offset = offset;
	seen.fd = fd;
	return reg(raw_pd, NULL, length, iova, (unsigned int)access);
}

Test(record_mr, of_a_dmabuf)
{
	replace("ibv_reg_dmabuf_mr", reg_dmabuf);
	make((struct vx_mr_init){ .fd = 33, .offset = 0x2100, .length = 64 });
	cr_expect_eq(seen.pd, vx_pd_raw(pd));
	cr_expect_eq(seen.fd, 33);
	cr_expect_eq(seen.offset, 0x2100);
	cr_expect_eq(seen.length, 64);
	cr_expect_eq(seen.iova, 0x2100, "the same place in a page, as it must be");
	cr_expect_eq(seen.access, IBV_ACCESS_LOCAL_WRITE);
}

Test(record_mr, of_a_dmabuf_whose_descriptor_is_0)
{
	seen.fd = 33;
	replace("ibv_reg_dmabuf_mr", reg_dmabuf);
	make((struct vx_mr_init){ .flags = VX_MR_DMABUF, .offset = 0x2100, .length = 64 });
	cr_expect_eq(seen.fd, 0);
	cr_expect_eq(seen.offset, 0x2100);
}

Test(record_mr, of_a_dmabuf_with_an_iova)
{
	replace("ibv_reg_dmabuf_mr", reg_dmabuf);
	make((struct vx_mr_init){ .fd = 33, .length = 64, .iova = 0x7000, .access = IBV_ACCESS_REMOTE_READ });
	cr_expect_eq(seen.offset, 0);
	cr_expect_eq(seen.iova, 0x7000);
	cr_expect_eq(seen.access, IBV_ACCESS_REMOTE_READ);
}

Test(record_mr, of_a_dmabuf_that_begins_at_zero)
{
	replace("ibv_reg_dmabuf_mr", reg_dmabuf);
	make((struct vx_mr_init){ .fd = 33, .offset = 0x2000, .length = 64,
				  .access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED });
	cr_expect_eq(seen.iova, 0);
	cr_expect_eq(seen.access, IBV_ACCESS_REMOTE_READ, "the kernel refuses the flag here");
}

#endif
