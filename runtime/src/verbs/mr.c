/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a memory region is to be, made complete, and a part of one; gen/lore/verbs.toml chooses the call that makes it. */

#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include <verbsx/config.h>
#include <verbsx/mlx5.h>

#include "error/fail.h"
#include "mapping.h"
#include "steps.h"

#if VX_RDMA_CORE >= 59
struct ibv_mr_init_attr *vx_mr_attr(struct ibv_mr_init_attr *attr, const struct vx_mr_init *init)
{
	*attr = (struct ibv_mr_init_attr){
		.length = init->length, .access = init->access, .iova = init->iova, .addr = init->addr, .fd = init->fd,
		.fd_offset = init->offset,
	};
	if (vx_mr_is_dmabuf(init))
		attr->comp_mask |= IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET | IBV_REG_MR_MASK_IOVA;
	else
		attr->comp_mask |= IBV_REG_MR_MASK_ADDR;
	if (init->iova != (uintptr_t)init->addr)
		attr->comp_mask |= IBV_REG_MR_MASK_IOVA;
	if (init->dmah) {
		attr->dmah = vx_dmah_raw(init->dmah);
		attr->comp_mask |= IBV_REG_MR_MASK_DMAH;
	}
#if VX_RDMA_CORE >= 64
	if (init->buf) {
		attr->buf = vx_buf_raw(init->buf);
		attr->comp_mask |= IBV_REG_MR_MASK_BUF;
	}
#endif
	return attr;
}
#endif

static void complete_range(struct vx_mr_init *init)
{
	if (init->flags & VX_MR_IMPLICIT)
		init->length = SIZE_MAX;
	if (!init->buf)
		return;
	init->addr = (char *)vx_buf_addr(init->buf) + init->offset;
	if (!init->length && init->offset < vx_buf_length(init->buf))
		init->length = vx_buf_length(init->buf) - init->offset;
}

static void complete_access(struct vx_mr_init *init)
{
	if (!init->access && !(init->flags & VX_MR_READ_ONLY))
		init->access = IBV_ACCESS_LOCAL_WRITE;
	if (init->flags & VX_MR_IMPLICIT)
		init->access |= IBV_ACCESS_ON_DEMAND;
	if (init->dm)
		init->access |= IBV_ACCESS_ZERO_BASED;
}

/* The kernel refuses the flag for a dma-buf, where an iova of 0 says the same. */
static void complete_iova(struct vx_mr_init *init)
{
	if (!init->iova && !(init->flags & VX_MR_IOVA) && !(init->access & IBV_ACCESS_ZERO_BASED))
		init->iova = vx_mr_is_dmabuf(init) ? init->offset : (uintptr_t)init->addr;
	if (vx_mr_is_dmabuf(init))
		init->access &= ~IBV_ACCESS_ZERO_BASED;
}

/* At least so many zeroed bytes, page aligned, all of them in huge pages or none. */
static int map_pages(struct vx_kept_mr *kept, size_t length, bool huge)
{
	size_t page = huge ? VX_HUGE_PAGE_SIZE : (size_t)sysconf(_SC_PAGESIZE);
	void *addr;

	if (!page || length > SIZE_MAX - page)
		return -ENOMEM;
	length = (length + page - 1) / page * page;
	addr = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB : 0), -1, 0);
	if (addr == MAP_FAILED)
		return -errno;
	kept->memory = addr;
	kept->mapped = length;
	return 0;
}

static int map_memory(struct vx_kept_mr *kept, struct vx_mr_init *init)
{
	bool must = init->flags & VX_MR_HUGE || init->access & IBV_ACCESS_HUGETLB;
	int rc = -ENOMEM;

	if (must || init->flags & VX_MR_HUGE_IF_THERE)
		rc = map_pages(kept, init->length, true);
	if (rc < 0 && must)
		return vx_fail(rc, "mmap", NULL, "length = %zu, in huge pages of %zu; sysctl vm.nr_hugepages says how many there are",
			       init->length, VX_HUGE_PAGE_SIZE);
	if (rc < 0)
		rc = map_pages(kept, init->length, false);
	if (rc < 0)
		return vx_fail(rc, "mmap", NULL, "length = %zu; %" PRIu64 " bytes are available", init->length,
			       vx_size_in("/proc/meminfo", "MemAvailable"));
	init->addr = kept->memory;
	return 0;
}

int vx_mr_begin(struct vx_kept_mr *kept, struct vx_mr_init *init)
{
	int rc = 0;

	complete_access(init);
	if (vx_mr_has_place(init) || init->flags & (VX_MR_NULL | VX_MR_IMPLICIT))
		complete_range(init);
	else
		rc = map_memory(kept, init);
	complete_iova(init);
	kept->start = init->access & IBV_ACCESS_ZERO_BASED ? 0 : init->iova;
	return rc;
}

#if VX_RDMA_CORE >= 54
int vx_mlx5_mr_begin(struct vx_kept_mlx5_mr *kept, struct vx_mlx5_mr_init *init)
{
	if (!init->access)
		init->access = IBV_ACCESS_LOCAL_WRITE;
	kept->start = init->iova;
	return 0;
}
#endif

void vx_mr_end(const struct vx_kept_mr *kept)
{
	if (kept->memory)
		munmap(kept->memory, kept->mapped);
}

/* ---- parts of regions, as requests name them ---- */

/* Null regions have no length, and take any address. */
static bool is_past(const struct ibv_mr *raw, uint64_t offset, uint32_t length)
{
	return raw->length && (offset > raw->length || length > raw->length - offset);
}

int vx_mr_sge(const struct vx_mr *mr, uint64_t offset, uint32_t length, struct ibv_sge *out)
{
	const struct vx_kept_mr *kept;
	const struct ibv_mr *raw;

	if (vx_wrong(mr, VX_OBJECT_MR, "vx_mr_sge", "mr"))
		return -EINVAL;
	if (!out)
		return vx_null_fail("vx_mr_sge", "out");
	kept = vx_node_extra((const struct vx_node *)mr);
	raw = vx_mr_raw(mr);
	if (((const struct vx_node *)mr)->counted && !raw->addr)
		return vx_fail(-EINVAL, "vx_mr_sge", VX_NAME(mr), "it was imported, and rdma-core does not tell where it begins: whoever exports it has to");
	if (is_past(raw, offset, length))
		return vx_fail(-EINVAL, "vx_mr_sge", VX_NAME(mr), "%" PRIu32 " bytes from byte %" PRIu64 " on, and it has %zu", length, offset, raw->length);
	*out = (struct ibv_sge){ (kept->known ? kept->start : (uintptr_t)raw->addr) + offset, length, raw->lkey };
	return 0;
}
