/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a memory region is to be, made complete, a part of one, and changing one; gen/lore/verbs.toml chooses the call that makes it. */

#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <verbsx/config.h>
#include <verbsx/mlx5.h>

#include "error/fail.h"
#include "mapping.h"
#include "reason/reason.h"
#include "steps.h"
#include "traced.h"

static VX_SELDOM_CALLED void complete_range(struct vx_mr_init *init)
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

static int no_memory(int code, size_t length)
{
	const uint64_t available = vx_size_in("/proc/meminfo", "MemAvailable");
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return vx_fail(code, "mmap", NULL, "length = %zu; %" PRIu64 " bytes are available", length, available);
	return vx_fail(code, "mmap", NULL, "length = %zu; %" PRIu64 " bytes are available; RLIMIT_AS is %" PRIu64 " (ulimit -v)", length, available,
		       (uint64_t)limit.rlim_cur);
}

static VX_SELDOM_CALLED int map_memory(struct vx_kept_mr *kept, struct vx_mr_init *init)
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
		return no_memory(rc, init->length);
	init->addr = kept->memory;
	return 0;
}

int vx_mr_begin(struct vx_kept_mr *kept, struct vx_mr_init *init)
{
	int rc = 0;

	complete_access(init);
	if (!vx_mr_has_place(init) && !(init->flags & (VX_MR_NULL | VX_MR_IMPLICIT)))
		rc = map_memory(kept, init);
	else if (VX_SELDOM(init->buf || init->flags & VX_MR_IMPLICIT))
		complete_range(init);
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
	if (raw->length && (offset > raw->length || length > raw->length - offset)) /* null regions have none, and take any address */
		return vx_fail(-EINVAL, "vx_mr_sge", VX_NAME(mr), "%" PRIu32 " bytes from byte %" PRIu64 " on, and it has %zu", length, offset, raw->length);
	*out = (struct ibv_sge){ (kept->known ? kept->start : (uintptr_t)raw->addr) + offset, length, raw->lkey };
	return 0;
}

/* ---- changing one ---- */

/* What has become of the region, by what ibv_rereg_mr() returned, negated. */
static const struct outcome {
	enum vx_mr_state state;
	char says[100];
} outcomes[] = {
	[0] = { VX_MR_CHANGED, "" },
	[-IBV_REREG_MR_ERR_INPUT] = { VX_MR_AS_BEFORE, "refused; the region is as before" },
	[-IBV_REREG_MR_ERR_DONT_FORK_NEW] = { VX_MR_AS_BEFORE,
		"the new memory could not be kept from forked children; the region is as before" },
	[-IBV_REREG_MR_ERR_DO_FORK_OLD] = { VX_MR_CHANGED,
		"the region has changed, but the old memory could not be shared with forked children again" },
	[-IBV_REREG_MR_ERR_CMD] = { VX_MR_BROKEN, "the region is good for nothing but vx_close()" },
	[-IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW] = { VX_MR_BROKEN,
		"the region is good for nothing but vx_close(), and the new memory stays kept from forked children" },
};

static int flags_of(const struct vx_mr_change *change)
{
	int flags = 0;

	if (change->pd)
		flags |= IBV_REREG_MR_CHANGE_PD;
	if (change->addr || change->length)
		flags |= IBV_REREG_MR_CHANGE_TRANSLATION;
	if (change->access || change->flags & VX_MR_READ_ONLY)
		flags |= IBV_REREG_MR_CHANGE_ACCESS;
	return flags;
}

static struct vx_kept_mr *kept_region(const struct vx_mr *mr)
{
	return vx_node_extra((const struct vx_node *)mr);
}

/* Why a change cannot even be tried, or NULL. */
static const char *senseless(const struct vx_mr *mr, const struct vx_mr_change *change)
{
	if (kept_region(mr)->broken)
		return outcomes[-IBV_REREG_MR_ERR_CMD].says;
	if (change->flags & ~(uint32_t)VX_MR_READ_ONLY)
		return "flags may only be VX_MR_READ_ONLY";
	if (!flags_of(change))
		return "nothing is to change";
	if (change->access && change->flags)
		return "access and VX_MR_READ_ONLY exclude each other";
	if (!change->addr != !change->length)
		return change->addr ? "addr is given, but length is 0" : "length is given, but addr is NULL";
	if (change->pd && vx_context_of(mr) != vx_context_of(change->pd))
		return "pd belongs to another context";
	return NULL;
}

/* Why, as for a new region, and what has become of this one. @param call  that has refused it */
static int fail_to_rereg(int code, const char *call, const struct vx_mr *mr, const struct outcome *outcome, const uint64_t *args)
{
	struct vx_failure failure = { .code = code, .call = &vx_signatures[SIGNATURE_ibv_rereg_mr], .args = args };
	char reason[VX_LONGEST_REASON] = "";

	/* Where the region has changed, there was nothing wrong with what it was to be. */
	if (outcome->state != VX_MR_CHANGED)
		vx_explain(&failure, reason, sizeof(reason));
	return vx_call_fail(code, call, VX_NAME(mr), "%s%s%s", reason, reason[0] ? "; " : "", outcome->says);
}

/* What the handle knows of the region. */
static void follow(struct vx_mr *mr, const struct vx_mr_change *change, int flags)
{
	if (flags & IBV_REREG_MR_CHANGE_PD)
		vx_node_move((struct vx_node *)mr, (struct vx_node *)change->pd);
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		kept_region(mr)->access = (unsigned int)change->access;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		kept_region(mr)->start = (uintptr_t)change->addr;
}

static int rereg(struct vx_mr *mr, const struct vx_mr_change *change, enum vx_mr_state *state)
{
	struct ibv_pd *pd = change->pd ? vx_pd_raw(change->pd) : NULL;
	int flags = flags_of(change), rc, code;
	const uint64_t *args = VX_ARGS(VX_ARG(vx_mr_raw(mr)), (uint64_t)flags, VX_ARG(pd), VX_ARG(change->addr), change->length,
				       (uint64_t)change->access);
	const struct outcome *outcome;

	/* The kernel looks at these before it changes anything, but of its refusal rdma-core says that the region is lost. */
	if (change->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(change->access & IBV_ACCESS_LOCAL_WRITE))
		return fail_to_rereg(-EINVAL, "vx_mr_rereg", mr, &outcomes[-IBV_REREG_MR_ERR_INPUT], args);
	errno = 0;
	rc = ibv_rereg_mr(vx_mr_raw(mr), flags, pd, change->addr, change->length, change->access);
	code = vx_code_of_refusal();
	if (rc && code == -EOPNOTSUPP)
		rc = IBV_REREG_MR_ERR_INPUT; /* no provider was asked, though libibverbs says that one failed */
	/* Whatever a newer rdma-core may return is taken for the worst. */
	outcome = &outcomes[rc > 0 || rc < IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW ? -IBV_REREG_MR_ERR_CMD : -rc];
	*state = outcome->state;
	kept_region(mr)->broken = outcome->state == VX_MR_BROKEN;
	if (outcome->state == VX_MR_CHANGED)
		follow(mr, change, flags);
	vx_registry_changed((const struct vx_node *)mr);
	return rc ? fail_to_rereg(code, "ibv_rereg_mr", mr, outcome, args) : 0;
}

int vx_mr_rereg_sized(struct vx_mr *mr, const struct vx_mr_change *change, size_t size, enum vx_mr_state *state)
{
	enum vx_mr_state ignored;
	struct vx_mr_change own;
	const char *why;

	if (vx_wrong(mr, VX_OBJECT_MR, "vx_mr_rereg", "mr"))
		return -EINVAL;
	if (vx_take_in(&own, sizeof(own), change, size, "vx_mr_rereg", "change", "flags") < 0)
		return vx_error()->code;
	if (vx_wrong_field(own.pd, VX_OBJECT_PD, "vx_mr_rereg, pd"))
		return -EINVAL;
	state = state ? state : &ignored;
	*state = kept_region(mr)->broken ? VX_MR_BROKEN : VX_MR_AS_BEFORE;
	if (own.comp_mask)
		return vx_unknown_bits("vx_mr_rereg", "comp_mask", own.comp_mask, 0);
	why = senseless(mr, &own);
	return why ? vx_fail(-EINVAL, "vx_mr_rereg", VX_NAME(mr), "%s", why) : rereg(mr, &own, state);
}
