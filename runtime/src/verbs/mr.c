/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Making and ending memory regions. */

#include <errno.h>
#include <stdlib.h>

#include <verbsx/buf.h>
#include <verbsx/config.h>

#include "object/adopt.h"
#include "error/border.h"
#include "error/fail.h"
#include "object/make.h"
#include "memory.h"
#include "mr.h"
#include "reason/reason.h"
#include "traced.h"

/* ---- the calls, with an init structure that is complete ---- */

static struct ibv_mr *reg_null(struct ibv_pd *pd, const struct vx_mr_init *init)
{
	(void)init;
	return ibv_alloc_null_mr(pd);
}

static struct ibv_mr *reg_dm(struct ibv_pd *pd, const struct vx_mr_init *init)
{
	return ibv_reg_dm_mr(pd, vx_dm_raw(init->dm), init->offset, init->length, (unsigned int)init->access);
}

/* With flags that are not known at compile time, the macros of ibv_reg_mr(3) and ibv_reg_mr_iova(3) end here as well. */
static struct ibv_mr *reg_memory(struct ibv_pd *pd, const struct vx_mr_init *init)
{
	return ibv_reg_mr_iova2(pd, init->addr, init->length, init->iova, (unsigned int)init->access);
}

#if VX_RDMA_CORE >= 34
static struct ibv_mr *reg_dmabuf(struct ibv_pd *pd, const struct vx_mr_init *init)
{
	return ibv_reg_dmabuf_mr(pd, init->offset, init->length, init->iova, init->fd, init->access);
}
#else
#define reg_dmabuf NULL
#endif

#if VX_RDMA_CORE >= 64
static struct ibv_mr *reg_buf(struct ibv_pd *pd, const struct vx_mr_init *init)
{
	return ibv_reg_buf_mr(pd, vx_buf_raw(init->buf), init->addr, init->length, init->access);
}

static void fill_buf(struct ibv_mr_init_attr *attr, const struct vx_mr_init *init)
{
	if (!init->buf)
		return;
	attr->buf = vx_buf_raw(init->buf);
	attr->comp_mask |= IBV_REG_MR_MASK_BUF;
}
#else
#define reg_buf NULL
#define fill_buf(attr, init) ((void)0)
#endif

#if VX_RDMA_CORE >= 59
static struct ibv_mr *reg_ex(struct ibv_pd *pd, const struct vx_mr_init *init)
{
	struct ibv_mr_init_attr attr = {
		.length = init->length, .access = init->access, .iova = init->iova, .addr = init->addr, .fd = init->fd,
		.fd_offset = init->offset,
	};

	if (vx_mr_is_dmabuf(init))
		attr.comp_mask |= IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET | IBV_REG_MR_MASK_IOVA;
	else
		attr.comp_mask |= IBV_REG_MR_MASK_ADDR;
	if (init->iova != (uintptr_t)init->addr)
		attr.comp_mask |= IBV_REG_MR_MASK_IOVA;
	if (init->dmah) {
		attr.dmah = vx_dmah_raw(init->dmah);
		attr.comp_mask |= IBV_REG_MR_MASK_DMAH;
	}
	fill_buf(&attr, init);
	return ibv_reg_mr_ex(pd, &attr);
}
#else
#define reg_ex NULL
#endif

struct way {
	const char *call;
	unsigned int since;	/* the release that has it; reg is NULL before */
	struct ibv_mr *(*reg)(struct ibv_pd *pd, const struct vx_mr_init *init);
};

static struct way way_of(const struct vx_mr_init *init)
{
	bool moved = init->iova != (uintptr_t)init->addr;

	if (init->flags & VX_MR_NULL)
		return (struct way){ "ibv_alloc_null_mr", 0, reg_null };
	if (init->dm)
		return (struct way){ "ibv_reg_dm_mr", 0, reg_dm };
	if (init->buf)
		return init->dmah || moved ? (struct way){ "ibv_reg_mr_ex", 64, reg_ex } :
					     (struct way){ "ibv_reg_buf_mr", 64, reg_buf };
	if (init->dmah)
		return (struct way){ "ibv_reg_mr_ex", 59, reg_ex };
	if (vx_mr_is_dmabuf(init))
		return (struct way){ "ibv_reg_dmabuf_mr", 34, reg_dmabuf };
	return (struct way){ moved ? "ibv_reg_mr_iova" : "ibv_reg_mr", 0, reg_memory };
}

/* ---- the init structure ---- */

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
	if (!init->iova && !(init->access & IBV_ACCESS_ZERO_BASED))
		init->iova = vx_mr_is_dmabuf(init) ? init->offset : (uintptr_t)init->addr;
	if (vx_mr_is_dmabuf(init))
		init->access &= ~IBV_ACCESS_ZERO_BASED;
}

static int map_memory(struct vx_memory *memory, struct vx_mr_init *init)
{
	bool must = init->flags & VX_MR_HUGE || init->access & IBV_ACCESS_HUGETLB;
	int rc = -ENOMEM;

	if (must || init->flags & VX_MR_HUGE_IF_THERE)
		rc = vx_memory_map(memory, init->length, true);
	if (rc < 0 && must)
		return vx_fail(rc, "mmap", NULL, "%zu bytes asked for in huge pages of %zu; "
			       "sysctl vm.nr_hugepages says how many there are", init->length, vx_huge_page_size());
	if (rc < 0)
		rc = vx_memory_map(memory, init->length, false);
	if (rc < 0)
		return vx_fail(rc, "mmap", NULL, "%zu bytes asked for", init->length);
	init->addr = memory->addr;
	return 0;
}

/* ---- the handle ---- */

static int destroy_mr(struct vx_node *node)
{
	int rc;

	errno = 0;
	rc = ibv_dereg_mr(node->object.raw);
	return rc ? vx_destroy_fail(vx_code_returned(rc), "ibv_dereg_mr", node) : 0;
}

static int destroy_mr_and_memory(struct vx_node *node)
{
	int rc = destroy_mr(node);

	if (rc == 0)
		vx_memory_unmap(vx_node_extra(node));
	return rc;
}

/* As what each of the calls was given; those that take a structure have the same in it. */
static int refused(const struct way *way, struct vx_node *node, struct ibv_pd *pd, const struct vx_mr_init *init)
{
	const uint64_t *dm = VX_ARGS(VX_ARG(pd), VX_ARG(init->dm ? vx_dm_raw(init->dm) : NULL), init->offset, init->length,
				     (uint64_t)init->access);
	const uint64_t *dmabuf = VX_ARGS(VX_ARG(pd), init->offset, init->length, init->iova, (uint64_t)init->fd,
					 (uint64_t)init->access);
	const uint64_t *memory = VX_ARGS(VX_ARG(pd), VX_ARG(init->addr), init->length, init->iova, (uint64_t)init->access);
	int code = vx_code_of_refusal();

	if (way->reg == reg_null)
		return vx_create_refused(code, way->call, SIGNATURE_ibv_alloc_null_mr, node, memory);
	if (init->dm)
		return vx_create_refused(code, way->call, SIGNATURE_ibv_reg_dm_mr, node, dm);
	if (init->fd)
		return vx_create_refused(code, way->call, SIGNATURE_ibv_reg_dmabuf_mr, node, dmabuf);
	return vx_create_refused(code, way->call, SIGNATURE_ibv_reg_mr_iova2, node, memory);
}

static int link_mr(struct vx_node *node, struct vx_pd *pd, const struct vx_mr_init *init)
{
	struct way way = way_of(init);
	struct ibv_mr *raw;

	if (!way.reg) {
		vx_node_drop(node);
		return vx_needs_release(way.call, way.since);
	}
	errno = 0;
	raw = way.reg(vx_pd_raw(pd), init);
	if (!raw)
		return refused(&way, node, vx_pd_raw(pd), init);
	vx_node_link(node, raw);
	return 0;
}

static int make_on_memory(struct vx_pd *pd, struct vx_mr_init *init, struct vx_node *node)
{
	struct vx_memory memory;
	int rc;

	rc = map_memory(&memory, init);
	if (rc < 0) {
		vx_node_drop(node);
		return rc;
	}
	*(struct vx_memory *)vx_node_extra(node) = memory;
	complete_iova(init);
	rc = link_mr(node, pd, init);
	if (rc < 0)
		vx_memory_unmap(&memory);
	return rc;
}

static int make_on_nothing(struct vx_pd *pd, struct vx_mr_init *init, struct vx_node *node)
{
	complete_range(init);
	complete_iova(init);
	return link_mr(node, pd, init);
}

static int create(struct vx_pd *parent, struct vx_mr_init full, struct vx_mr **out)
{
	void *uses[] = { parent, full.dm, full.dmah, full.buf };
	bool own = vx_mr_wants_memory(&full);
	struct vx_node *node;
	int rc;

	rc = vx_mr_check(&full);
	if (rc < 0)
		return rc;
	node = vx_node_new_with(own ? sizeof(struct vx_memory) : 0, VX_OBJECT_MR, own ? destroy_mr_and_memory : destroy_mr,
				uses, sizeof(uses) / sizeof(uses[0]), "vx_mr_create");
	if (!node)
		return vx_error()->code;
	VX_CHECK(parent, VX_OBJECT_PD);
	VX_CHECK_FIELD(full.dm, VX_OBJECT_DM, "vx_mr_create, dm");
	VX_CHECK_FIELD(full.dmah, VX_OBJECT_DMAH, "vx_mr_create, dmah");
	VX_CHECK_FIELD(full.buf, VX_OBJECT_BUF, "vx_mr_create, buf");
	complete_access(&full);
	rc = own ? make_on_memory(parent, &full, node) : make_on_nothing(parent, &full, node);
	if (rc == 0)
		*out = (struct vx_mr *)node;
	return rc;
}

int vx_mr_create_sized(struct vx_pd *parent, const struct vx_mr_init *init, size_t size, struct vx_mr **out)
{
	struct vx_mr_init full;
	int rc = vx_take_in(&full, sizeof(full), init, size, "vx_mr_create", "init");

	return rc < 0 ? rc : create(parent, full, out);
}

int vx_mr_adopt(struct vx_pd *parent, struct ibv_mr *raw, struct vx_mr **out)
{
	struct vx_adopting it = {
		.kind = VX_OBJECT_MR, .destroy = destroy_mr,
		.call = "vx_mr_adopt", .parent = parent, .raw = raw,
	};
	struct vx_node *node;

	if (parent && raw) {
		VX_CHECK(parent, VX_OBJECT_PD);
		it.context = raw->context;
		it.raw_parent = raw->pd;
	}
	node = vx_adopt(&it);
	if (!node)
		return vx_error()->code;
	*out = (struct vx_mr *)node;
	return 0;
}
