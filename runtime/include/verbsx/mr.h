/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MR_H
#define VERBSX_MR_H

/**
 * @file
 * Memory regions: ordinary memory, the library's own, on demand, of a dma-buf, of a device, or none at all.
 *
 * What is made follows from the fields that are used:
 *
 *	.addr, .length                 the caller's memory
 *	.length                        memory of its own, zeroed, which vx_close() unmaps
 *	.fd, .offset, .length          a part of a dma-buf
 *	.dm, .offset, .length          a part of the device's memory
 *	.buf                           a buffer of vx_buf_create(), or with .offset and .length a part of it
 *	.flags = VX_MR_IMPLICIT        all memory there is and will be, on demand
 *	.flags = VX_MR_NULL            reads zeros and drops what is written
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vx_buf;
struct vx_dmah;

/** What no field of struct vx_mr_init says. None of its bits is one of enum ibv_access_flags, whose optional ones begin at 20. */
enum vx_mr_flags {
	VX_MR_NULL = 1 << 19,		/**< a null region */
	VX_MR_IMPLICIT = 1 << 18,	/**< the whole address space, on demand */
	VX_MR_HUGE = 1 << 17,		/**< memory of its own in huge pages, or none */
	VX_MR_HUGE_IF_THERE = 1 << 16,	/**< memory of its own in huge pages, or in ordinary ones */
	VX_MR_READ_ONLY = 1 << 15,	/**< access of 0 stays 0: sent from, never written to */
	VX_MR_DMABUF = 1 << 14,		/**< fd is a dma-buf, also where it is 0 */
	VX_MR_IOVA = 1 << 13,		/**< iova counts, also where it is 0 */
};

/** What a new region is to be like. */
struct vx_mr_init {
	uint32_t comp_mask;	/**< no bits yet, so 0 */
	void *addr;		/**< NULL for memory of its own */
	size_t length;		/**< bytes */
	int access;		/**< of enum ibv_access_flags; 0 is IBV_ACCESS_LOCAL_WRITE */
	uint32_t flags;		/**< of enum vx_mr_flags */
	uint64_t iova;		/**< the address by which requests name its start, of peers and of this side; the same
				     offset in a page as addr. 0 is addr, or offset of a dma-buf, and 0 with VX_MR_IOVA or
				     IBV_ACCESS_ZERO_BASED, which is passed on */
	uint64_t offset;	/**< into fd, dm or buf, in bytes */
	int fd;			/**< a dma-buf; 0 is none without VX_MR_DMABUF */
	struct vx_dm *dm;	/**< the device memory that it is a part of */
	struct vx_dmah *dmah;	/**< how the device is to reach the memory; since rdma-core 59 */
	struct vx_buf *buf;	/**< since rdma-core 64 */
};

VX_EXPORT int vx_mr_create_sized(struct vx_pd *parent, const struct vx_mr_init *init, size_t size, struct vx_mr **out);

/**
 * Register memory.
 *
 * @param parent  the PD that it belongs to
 * @return 0, or a negative errno with vx_error() filled: -EINVAL names two fields that exclude each other or one that
 *         is missing; -ENOMEM where there are no huge pages; -EOPNOTSUPP where a field is of a newer rdma-core
 *
 * IBV_ACCESS_ON_DEMAND goes with memory of either owner; with IBV_ACCESS_HUGETLB memory of its own is in huge pages.
 * Device memory gets IBV_ACCESS_ZERO_BASED and an implicit region IBV_ACCESS_ON_DEMAND, as they must have. Memory that
 * came with a region is the caller's to unmap after vx_give_back(). Thread-safe. Stands for ibv_reg_mr(3),
 * ibv_reg_mr_iova(3), ibv_reg_dmabuf_mr(3), ibv_reg_dm_mr(3), ibv_reg_buf_mr(3), ibv_reg_mr_ex(3) and
 * ibv_alloc_null_mr(3). Traces and errors name ibv_reg_mr_iova2(), the function behind the first two, which are macros.
 */
static inline int vx_mr_create(struct vx_pd *parent, const struct vx_mr_init *init, struct vx_mr **out)
{
	return vx_mr_create_sized(parent, init, sizeof(*init), out);
}

/**
 * Take over a region that was made without libverbsx: vx_close() deregisters it, vx_give_back() gives it back.
 *
 * @param parent  the PD that it was made under
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where it is of another PD
 *
 * Thread-safe, and so is vx_mr_borrow().
 */
VX_EXPORT int vx_mr_adopt(struct vx_pd *parent, struct ibv_mr *raw, struct vx_mr **out);

/** Use a region of somebody else: as vx_mr_adopt(), but left alone by vx_close(). */
VX_EXPORT int vx_mr_borrow(struct vx_pd *parent, struct ibv_mr *raw, struct vx_mr **out);

/** What is to be different about a region; what is left zero stays. */
struct vx_mr_change {
	uint32_t comp_mask;	/**< no bits yet, so 0 */
	struct vx_pd *pd;	/**< of the same context */
	void *addr;		/**< with length */
	size_t length;		/**< bytes, with addr */
	int access;		/**< all of it, of enum ibv_access_flags */
	uint32_t flags;		/**< VX_MR_READ_ONLY: change access to 0 */
};

/** What a region is after vx_mr_rereg(). */
enum vx_mr_state {
	VX_MR_AS_BEFORE,	/**< usable, and nothing has changed */
	VX_MR_CHANGED,		/**< usable, and all has changed that was to */
	VX_MR_BROKEN,		/**< good for nothing but vx_close() */
};

VX_EXPORT int vx_mr_rereg_sized(struct vx_mr *mr, const struct vx_mr_change *change, size_t size, enum vx_mr_state *state);

/**
 * Change a region in place; its keys may be others afterwards.
 *
 * @param state  what has become of it, also on failure; may be NULL
 * @return 0, or a negative errno with vx_error() filled, whose reason tells the state as well
 *
 * A region can be changed although the call fails: then only the old memory could not be given back to be shared with
 * forked children. Memory that came with the region stays with it until vx_close(). Nothing may be using the region
 * meanwhile. What the kernel refuses costs the region, so rights that it never grants are not asked for. Stands for ibv_rereg_mr(3).
 */
static inline int vx_mr_rereg(struct vx_mr *mr, const struct vx_mr_change *change, enum vx_mr_state *state)
{
	return vx_mr_rereg_sized(mr, change, sizeof(*change), state);
}

/**
 * An entry of a request for a part of a region: by the address that requests name it by, which is not that of the memory where the
 * region has an iova or is IBV_ACCESS_ZERO_BASED.
 *
 * @param offset  from its start, in bytes
 * @param length  of the part, in bytes
 * @param out     the entry
 * @return 0, or -EINVAL with vx_error() filled: the part ends past the region, or nobody has told where that begins
 *
 * Of a region that was adopted it takes the address of the memory, as rdma-core does not tell another. Of one that was imported
 * rdma-core tells none: whoever exports a region has to tell where it begins as well. Thread-safe, but while the region is
 * changed. Stands for filling struct ibv_sge.
 */
VX_EXPORT int vx_mr_sge(const struct vx_mr *mr, uint64_t offset, uint32_t length, struct ibv_sge *out);

/** Where the memory begins; what it means for anything but ordinary memory is up to rdma-core. */
static inline void *vx_mr_addr(const struct vx_mr *mr)
{
	return vx_mr_raw(mr)->addr;
}

/** The length in bytes. */
static inline size_t vx_mr_length(const struct vx_mr *mr)
{
	return vx_mr_raw(mr)->length;
}

/** The key for requests of this side. */
static inline uint32_t vx_mr_lkey(const struct vx_mr *mr)
{
	return vx_mr_raw(mr)->lkey;
}

/** The key for requests of the peer. */
static inline uint32_t vx_mr_rkey(const struct vx_mr *mr)
{
	return vx_mr_raw(mr)->rkey;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MR_H */
