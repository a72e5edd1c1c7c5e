/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only newer releases have, whatever the one at hand: their functions are never reached. */

#include <errno.h>
#include <stdint.h>

#include "unit/record.h"

#if VX_RDMA_CORE >= 59

TestSuite(record_newer, .init = open_device, .fini = close_device);

static char memory[64];
static int ended;
static struct ibv_mr mr_raw;
static struct ibv_dmah dmah_raw;
static struct ibv_dmah_init_attr dmah_attr;
static struct ibv_mr_init_attr mr_attr;

static struct ibv_dmah *alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	dmah_attr = *attr;
	return &dmah_raw;
}

static int dealloc_dmah(struct ibv_dmah *dmah)
{
	cr_expect_eq(dmah, &dmah_raw);
	ended += 10;
	return 0;
}

static struct ibv_mr *reg_ex(struct ibv_pd *raw_pd, struct ibv_mr_init_attr *attr)
{
	cr_expect_eq(raw_pd, vx_pd_raw(pd));
	mr_attr = *attr;
	return &mr_raw;
}

static int dereg(struct ibv_mr *mr)
{
	cr_expect_eq(mr, &mr_raw);
	cr_expect_lt(ended, 10, "before what it uses");
	ended++;
	return 0;
}

static struct vx_dmah *make_dmah(void)
{
	struct vx_dmah *dmah;

	replace("ibv_alloc_dmah", alloc_dmah);
	replace("ibv_dealloc_dmah", dealloc_dmah);
	replace("ibv_reg_mr_ex", reg_ex);
	replace("ibv_dereg_mr", dereg);
	made(vx_dmah_create(ctx, &(struct vx_dmah_init){ .cpu_id = 3, .ph = 1, .tph_mem_type = IBV_TPH_MEM_TYPE_PM }, &dmah));
	return dmah;
}

static void make(struct vx_mr_init init)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &init, &mr));
}

Test(record_newer, dmah_of_the_first_cpu)
{
	struct vx_dmah *dmah;

	replace("ibv_alloc_dmah", alloc_dmah);
	replace("ibv_dealloc_dmah", dealloc_dmah);
	made(vx_dmah_create(ctx, &(struct vx_dmah_init){ .comp_mask = IBV_DMAH_INIT_ATTR_MASK_CPU_ID }, &dmah));
	cr_expect_eq(dmah_attr.cpu_id, 0);
	cr_expect_eq(dmah_attr.comp_mask, IBV_DMAH_INIT_ATTR_MASK_CPU_ID | IBV_DMAH_INIT_ATTR_MASK_PH);
}

Test(record_newer, dmah_and_a_region_of_memory)
{
	struct vx_dmah *dmah = make_dmah();

	cr_expect_eq(dmah_attr.cpu_id, 3);
	cr_expect_eq(dmah_attr.ph, 1);
	cr_expect_eq(dmah_attr.tph_mem_type, IBV_TPH_MEM_TYPE_PM);
	cr_expect_eq(dmah_attr.comp_mask, IBV_DMAH_INIT_ATTR_MASK_CPU_ID | IBV_DMAH_INIT_ATTR_MASK_PH |
						  IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE);
	make((struct vx_mr_init){ .addr = memory, .length = 64, .dmah = dmah });
	cr_expect_eq(mr_attr.comp_mask, IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH);
	cr_expect_eq(mr_attr.addr, memory);
	cr_expect_eq(mr_attr.length, 64);
	cr_expect_eq(mr_attr.access, IBV_ACCESS_LOCAL_WRITE);
	cr_expect_eq(mr_attr.dmah, &dmah_raw);
	cr_expect_eq(vx_close(dmah), 0);
	cr_expect_eq(ended, 11);
}

Test(record_newer, dmah_and_a_region_with_an_iova)
{
	make((struct vx_mr_init){ .addr = memory, .length = 64, .iova = 0x40, .dmah = make_dmah() });
	cr_expect_eq(mr_attr.comp_mask, IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_IOVA | IBV_REG_MR_MASK_DMAH);
	cr_expect_eq(mr_attr.iova, 0x40);
}

Test(record_newer, dmah_and_a_region_of_a_dmabuf)
{
	make((struct vx_mr_init){ .fd = 5, .offset = 0x1000, .length = 64, .dmah = make_dmah() });
	cr_expect_eq(mr_attr.comp_mask, IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET | IBV_REG_MR_MASK_IOVA |
						IBV_REG_MR_MASK_DMAH);
	cr_expect_eq(mr_attr.fd, 5);
	cr_expect_eq(mr_attr.fd_offset, 0x1000);
	cr_expect_eq(mr_attr.iova, 0x1000);
	cr_expect_null(mr_attr.addr);
}

#endif

#if VX_RDMA_CORE >= 64

static struct ibv_buf *const buf_raw = (struct ibv_buf *)&mr_attr;
static struct {
	void *addr;
	size_t length;
	int access;
} seen;

static void *alloc_buf(struct ibv_pd *raw_pd, size_t size, struct ibv_buf **out)
{
	cr_expect_eq(raw_pd, vx_pd_raw(pd));
	seen.length = size;
	*out = buf_raw;
	return memory;
}

static void free_buf(struct ibv_buf *buf)
{
	cr_expect_eq(buf, buf_raw);
	ended += 10;
}

static struct ibv_mr *reg_buf(struct ibv_pd *raw_pd, struct ibv_buf *buf, void *addr, size_t length, int access)
{
	cr_expect_eq(raw_pd, vx_pd_raw(pd));
	cr_expect_eq(buf, buf_raw);
	seen.addr = addr;
	seen.length = length;
	seen.access = access;
	return &mr_raw;
}

static struct vx_buf *make_buf(void)
{
	struct vx_buf *buf;

	replace("ibv_alloc_buf", alloc_buf);
	replace("ibv_free_buf", free_buf);
	replace("ibv_reg_buf_mr", reg_buf);
	replace("ibv_reg_mr_ex", reg_ex);
	replace("ibv_dereg_mr", dereg);
	made(vx_buf_create(pd, &(struct vx_buf_init){ .length = 64 }, &buf));
	return buf;
}

Test(record_newer, buf_has_memory_and_takes_its_region_along)
{
	struct vx_buf *buf = make_buf();

	cr_expect_eq(seen.length, 64);
	cr_expect_eq(vx_buf_raw(buf), buf_raw);
	cr_expect_eq(vx_buf_addr(buf), memory);
	cr_expect_eq(vx_buf_length(buf), 64);
	make((struct vx_mr_init){ .buf = buf });
	cr_expect_eq(seen.addr, memory);
	cr_expect_eq(seen.length, 64);
	cr_expect_eq(seen.access, IBV_ACCESS_LOCAL_WRITE);
	cr_expect_eq(vx_close(buf), 0);
	cr_expect_eq(ended, 11);
}

Test(record_newer, buf_of_which_a_part_is_registered)
{
	make((struct vx_mr_init){ .buf = make_buf(), .offset = 16, .access = IBV_ACCESS_REMOTE_READ });
	cr_expect_eq(seen.addr, memory + 16);
	cr_expect_eq(seen.length, 48);
	cr_expect_eq(seen.access, IBV_ACCESS_REMOTE_READ);
}

Test(record_newer, buf_with_a_dmah)
{
	struct vx_buf *buf = make_buf();

	make((struct vx_mr_init){ .buf = buf, .offset = 16, .length = 8, .dmah = make_dmah() });
	cr_expect_eq(mr_attr.comp_mask, IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_BUF | IBV_REG_MR_MASK_DMAH);
	cr_expect_eq(mr_attr.buf, buf_raw);
	cr_expect_eq(mr_attr.addr, memory + 16);
	cr_expect_eq(mr_attr.length, 8);
}

Test(record_newer, buf_with_an_iova)
{
	make((struct vx_mr_init){ .buf = make_buf(), .iova = 0x5000 });
	cr_expect_eq(mr_attr.comp_mask, IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_BUF | IBV_REG_MR_MASK_IOVA);
	cr_expect_eq(mr_attr.iova, 0x5000);
}

Test(record_newer, buf_that_is_adopted)
{
	struct vx_buf *buf;

	replace("ibv_free_buf", free_buf);
	made(vx_buf_adopt(pd, buf_raw, memory, 64, &buf));
	cr_expect_eq(vx_buf_length(buf), 64);
	cr_expect_eq(vx_close(buf), 0);
	cr_expect_eq(ended, 10);
}

Test(record_newer, buf_that_is_adopted_again_is_what_it_was)
{
	struct vx_buf *buf, *again;

	replace("ibv_free_buf", free_buf);
	made(vx_buf_adopt(pd, buf_raw, memory, 64, &buf));
	made(vx_buf_adopt(pd, buf_raw, memory + 8, 32, &again));
	cr_expect_eq(again, buf);
	cr_expect_eq(vx_buf_addr(buf), memory);
	cr_expect_eq(vx_buf_length(buf), 64);
	cr_expect_eq(vx_close(buf), 0);
	cr_expect_eq(vx_close(again), 0);
}

Test(record_newer, buf_without_a_length)
{
	struct vx_buf *buf;

	cr_expect_eq(vx_buf_create(pd, NULL, &buf), -EINVAL);
	expect_reason("length is 0");
}

#endif

#if VX_RDMA_CORE >= 65

static struct ibv_comp_cntr counter_raw;
static struct ibv_comp_cntr_init_attr counter_attr;

static struct ibv_comp_cntr *create_counter(struct ibv_context *context, struct ibv_comp_cntr_init_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	counter_attr = *attr;
	return &counter_raw;
}

static int destroy_counter(struct ibv_comp_cntr *counter)
{
	cr_expect_eq(counter, &counter_raw);
	ended++;
	return 0;
}

Test(record_newer, comp_cntr)
{
	struct vx_comp_cntr *counter;

	replace("ibv_create_comp_cntr", create_counter);
	replace("ibv_destroy_comp_cntr", destroy_counter);
	made(vx_comp_cntr_create(ctx, &(struct vx_comp_cntr_init){ .type = IBV_COMP_CNTR_TYPE_BYTES }, &counter));
	cr_expect_eq(counter_attr.type, IBV_COMP_CNTR_TYPE_BYTES);
	cr_expect_eq(counter_attr.comp_mask, 0);
	cr_expect_eq(vx_close(counter), 0);
	cr_expect_eq(ended, 1);
}

static int export_buf(struct ibv_buf *buf)
{
	cr_expect_eq(buf, buf_raw);
	if (ended)
		return 77;
	errno = ENODATA;
	return -1;
}

Test(record_newer, buf_is_exported)
{
	struct vx_buf *buf = make_buf();
	int fd = 0;

	replace("ibv_export_buf_dmabuf_fd", export_buf);
	cr_expect_eq(vx_buf_export_dmabuf_fd(buf, &fd), -ENODATA);
	expect_reason("ibv_export_buf_dmabuf_fd on mlx5_0 buf");
	ended = 1;
	made(vx_buf_export_dmabuf_fd(buf, &fd));
	cr_expect_eq(fd, 77);
}

#endif
