/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory that could not be registered, by any of the calls that do: right after it has failed, while all is as it was. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <verbsx/config.h>

#include "mapping.h"
#include "reason_by_hand.h"
#include "text/form.h"

#define VX_TRACE_ASIDE
#include "traced.h"

/* What was to be registered; zero where the call has no such parameter. */
struct region {
	uintptr_t addr;
	uint64_t length;
	int access;		/* enum ibv_access_flags */
	bool is_memory;		/* addr and length are a range of this process */
	bool is_locked;		/* and stays where it is: pages that come on demand do not */
};

static struct region region_of(const struct vx_failure *failure)
{
	struct region region = {
		.addr = (uintptr_t)vx_argument(failure, "addr"),
		.length = vx_argument(failure, "length") + vx_argument(failure, "size"),	/* of a umem */
		.access = (int)vx_argument(failure, "access"),
	};

	region.is_memory = region.addr && !vx_argument(failure, "buf") && !vx_argument(failure, "dmabuf_fd");
	region.is_locked = region.is_memory && !(region.access & IBV_ACCESS_ON_DEMAND);
	return region;
}

/* ---- memory ---- */

/* Kernels pin a region for writing, in which windows can be made, even where no right says so. */
#define MAKES_WRITABLE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

static const char *flaw_text(enum vx_mapping_flaw flaw, int access)
{
	if (flaw == VX_MAPPING_NONE)
		return "is not mapped: nothing was allocated there, or it was freed";
	if (flaw == VX_MAPPING_CLOSED)
		return "is mapped without any right (PROT_NONE)";
	return access & IBV_ACCESS_LOCAL_WRITE ?
		       "is mapped read-only, and the region is to be written to" :
		       "is mapped read-only, and windows of the region (IBV_ACCESS_MW_BIND) may be written to";
}

static void check_range(struct vx_failure *failure, const struct region *region)
{
	enum vx_mapping_flaw flaw;
	uintptr_t from, to;

	if (!region->is_locked)
		return;
	if (region->length > UINTPTR_MAX - region->addr) {
		vx_reason_add(failure, "addr + length is beyond the end of memory");
		return;
	}
	flaw = vx_mapping_check(region->addr, (size_t)region->length, region->access & MAKES_WRITABLE, &from, &to);
	if (flaw != VX_MAPPING_FINE)
		vx_reason_add(failure, "0x%" PRIxPTR " to 0x%" PRIxPTR " %s", from, to, flaw_text(flaw, region->access));
}

/* libibverbs asks madvise(2) for pages of 4 KiB unless it was told to look. */
static bool is_kept_from_children(void)
{
#if VX_RDMA_CORE >= 35
	return ibv_is_fork_initialized() == IBV_FORK_ENABLED && !getenv("RDMAV_HUGEPAGES_SAFE");
#else
	return false;
#endif
}

/* The kernel looks through whole mappings to tell the size of their pages: it is asked only where that may be the reason. */
static void check_huge(struct vx_failure *failure, const struct region *region)
{
	bool promised = region->access & IBV_ACCESS_HUGETLB, kept = is_kept_from_children();
	size_t usual = (size_t)sysconf(_SC_PAGESIZE), page;

	if (!region->is_memory || failure->code != -EINVAL || (!promised && !kept))
		return;
	page = vx_mapping_page_size(region->addr);
	if (promised && page && page <= usual)
		vx_reason_add(failure, "IBV_ACCESS_HUGETLB is for huge pages, and addr has pages of %s",
			      VX_BYTES(page));
	else if (promised && page && region->addr % page)
		vx_reason_add(failure, "IBV_ACCESS_HUGETLB: addr is not a multiple of the page size, %s",
			      VX_BYTES(page));
	if (kept && page > usual)
		vx_reason_add(failure, "ibv_fork_init() was called, and addr has pages of %s: "
			      "RDMAV_HUGEPAGES_SAFE must be set before", VX_BYTES(page));
}

/* The kernel wants both to begin at the same place of a page, whatever the size of the device's pages. */
static void check_iova(struct vx_failure *failure, const struct region *region)
{
	bool dmabuf = vx_argument(failure, "fd");
	uint64_t start = dmabuf ? vx_argument(failure, "offset") : region->addr, iova;
	struct vx_place place;

	if (failure->code != -EINVAL || !vx_argument_find(failure, "iova", &place))
		return;
	iova = vx_place_value(&place);
	if ((iova - start) % (uint64_t)sysconf(_SC_PAGESIZE))
		vx_reason_add(failure, "iova = 0x%" PRIx64 " and %s = 0x%" PRIx64 " must have the same offset in a page", iova,
			      dmabuf ? "offset" : "addr", start);
}

static void check_memlock(struct vx_failure *failure, const struct region *region)
{
	uint64_t locked, limit;

	if (failure->code != -ENOMEM || !region->is_locked)
		return;
	locked = vx_mapping_locked();
	limit = vx_memlock_limit();
	if (region->length + locked <= limit)
		return;
	vx_reason_add(failure, "%s asked for, RLIMIT_MEMLOCK is %s (ulimit -l)", VX_BYTES(region->length),
		      VX_BYTES(limit));
	if (locked)
		vx_put_format(&failure->out, ", of which %s are used", VX_BYTES(locked));
}

void vx_explain_memory(struct vx_failure *failure)
{
	const struct region region = region_of(failure);
	int fd = (int)vx_argument(failure, "fd");

	check_range(failure, &region);
	check_iova(failure, &region);
	check_huge(failure, &region);
	if (fd)
		vx_reason_of_fd(failure, "fd", fd, "dmabuf", "dma-buf");
	check_memlock(failure, &region);
}
