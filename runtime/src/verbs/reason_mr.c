/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory that could not be registered. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <verbsx/config.h>
#include <verbsx/enums.h>
#include <verbsx/objects.h>
#include <verbsx/version.h>

#include "object/make.h"
#include "mapping.h"
#include "memlock.h"
#include "error/fail.h"
#include "reason/reason.h"
#include "reason_mr.h"
#include "text/scale.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LONGEST_FLAGS 192
#define LONGEST_NAME 128

static void check_length(struct vx_reason *reason, const struct vx_mr_request *request, const struct vx_bounds *bounds)
{
	uint64_t most = bounds->device.orig_attr.max_mr_size;

	if (!request->has_range)
		return;
	if (!request->length)
		vx_reason_add(reason, "length is 0");
	else if (!(request->access & IBV_ACCESS_ON_DEMAND) && bounds->known[VX_SOURCE_DEVICE] && request->length > most)
		vx_reason_add(reason, "length = %zu, but the device allows max_mr_size = %" PRIu64, request->length, most);
}

/* ---- access flags ---- */

/* Flags that only go with others. */
static const struct {
	int flag;
	int need;
} needs[] = {
	{ IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_LOCAL_WRITE },
	{ IBV_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_LOCAL_WRITE },
};

static const char *flags_text(int flags, char buf[LONGEST_FLAGS])
{
	vx_ibv_access_flags_snprint(buf, LONGEST_FLAGS, flags);
	return buf;
}

static void check_needs(struct vx_reason *reason, const struct vx_mr_request *request)
{
	char flag[LONGEST_FLAGS], need[LONGEST_FLAGS];
	size_t i;

	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (request->access & needs[i].flag && !(request->access & needs[i].need))
			vx_reason_add(reason, "%s needs %s: what a peer may change, the device must be able to write",
				      flags_text(needs[i].flag, flag), flags_text(needs[i].need, need));
}

/* Those of the optional range are for the provider to ignore. */
static void check_flags(struct vx_reason *reason, const struct vx_mr_request *request)
{
	const struct vx_request plain = { .code = request->code };

	vx_reason_of_flags(reason, &plain, vx_release_running(), "access", vx_enum_find("ibv_access_flags"),
			   (unsigned int)(request->access & ~IBV_ACCESS_OPTIONAL_RANGE));
}

static void check_on_demand(struct vx_reason *reason, const struct vx_mr_request *request,
			    const struct vx_bounds *bounds)
{
	if (request->access & IBV_ACCESS_ON_DEMAND && bounds->known[VX_SOURCE_DEVICE_EX] &&
	    !(bounds->device.odp_caps.general_caps & IBV_ODP_SUPPORT))
		vx_reason_add(reason, "the device has no on-demand paging (odp_caps.general_caps lacks IBV_ODP_SUPPORT), "
				      "which IBV_ACCESS_ON_DEMAND asks for");
}

/* ---- memory ---- */

/* Pages that come on demand are not. */
static bool is_locked(const struct vx_mr_request *request)
{
	return request->is_memory && !(request->access & IBV_ACCESS_ON_DEMAND);
}

/* Kernels pin a region for writing, in which windows can be made, even where no right says so. */
#define MAKES_WRITABLE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

static const char *flaw_text(enum vx_mapping_flaw flaw, int access)
{
	switch (flaw) {
	case VX_MAPPING_NONE:
		return "is not mapped: nothing was allocated there, or it was freed";
	case VX_MAPPING_CLOSED:
		return "is mapped without any right (PROT_NONE)";
	default:
		return access & IBV_ACCESS_LOCAL_WRITE ?
			       "is mapped read-only, and the region is to be written to" :
			       "is mapped read-only, and windows of the region (IBV_ACCESS_MW_BIND) may be written to";
	}
}

static void check_range(struct vx_reason *reason, const struct vx_mr_request *request)
{
	uintptr_t start = (uintptr_t)request->addr, from, to;
	enum vx_mapping_flaw flaw;

	if (!is_locked(request))
		return;
	if (request->length > UINTPTR_MAX - start) {
		vx_reason_add(reason, "addr + length is beyond the end of memory");
		return;
	}
	flaw = vx_mapping_check(start, request->length, request->access & MAKES_WRITABLE, &from, &to);
	if (flaw != VX_MAPPING_FINE)
		vx_reason_add(reason, "0x%" PRIxPTR " to 0x%" PRIxPTR " %s", from, to, flaw_text(flaw, request->access));
}

static void add_pages(struct vx_reason *reason, const char *before, size_t page, const char *after)
{
	vx_reason_add(reason, "%s", before);
	vx_put_bytes_scaled(&reason->out, page);
	vx_put_string(&reason->out, after);
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

static void check_huge(struct vx_reason *reason, const struct vx_mr_request *request)
{
	bool promised = request->access & IBV_ACCESS_HUGETLB;
	uintptr_t start = (uintptr_t)request->addr;
	size_t page;

	if (!request->is_memory || request->code != -EINVAL)
		return;
	page = vx_mapping_page_size(start);
	if (promised && page && page <= (size_t)sysconf(_SC_PAGESIZE))
		add_pages(reason, "IBV_ACCESS_HUGETLB is for huge pages, and addr has pages of ", page, "");
	else if (promised && page && start % page)
		add_pages(reason, "IBV_ACCESS_HUGETLB: addr is not a multiple of the page size, ", page, "");
	if (page > (size_t)sysconf(_SC_PAGESIZE) && is_kept_from_children())
		add_pages(reason, "ibv_fork_init() was called, and addr has pages of ", page,
			  ": RDMAV_HUGEPAGES_SAFE must be set before");
}

/* The kernel wants both to begin at the same place of a page, whatever the size of the device's pages. */
static void check_iova(struct vx_reason *reason, const struct vx_mr_request *request)
{
	uint64_t start = request->fd ? request->offset : (uintptr_t)request->addr;

	if (request->code == -EINVAL && request->has_iova && (request->iova - start) % (uint64_t)sysconf(_SC_PAGESIZE))
		vx_reason_add(reason, "iova = 0x%" PRIx64 " and %s = 0x%" PRIx64 " must have the same offset in a page",
			      request->iova, request->fd ? "offset" : "addr", start);
}

/* How much memory there is, its object does not tell. */
static void check_dm(struct vx_reason *reason, const struct vx_mr_request *request)
{
	char name[LONGEST_NAME];

	if (!request->dm || request->code != -EINVAL)
		return;
	vx_object_name(name, sizeof(name), request->dm);
	vx_reason_add(reason, "offset = %" PRIu64 " with length = %zu may be beyond the end of %s", request->offset,
		      request->length, name);
}

static void check_memlock(struct vx_reason *reason, const struct vx_mr_request *request)
{
	uint64_t locked = vx_mapping_locked(), limit = vx_memlock_limit();
	struct vx_out *out;

	if (request->code != -ENOMEM || !is_locked(request) || request->length + locked <= limit)
		return;
	out = vx_reason_part(reason);
	vx_put_bytes_scaled(out, request->length);
	vx_put_literal(out, " asked for, RLIMIT_MEMLOCK is ");
	vx_put_bytes_scaled(out, limit);
	vx_put_literal(out, " (ulimit -l)");
	if (!locked)
		return;
	vx_put_literal(out, ", of which ");
	vx_put_bytes_scaled(out, locked);
	vx_put_literal(out, " are used");
}

/* ---- all of it ---- */

size_t vx_mr_reason(const struct vx_mr_request *request, struct ibv_context *context, char *buf, size_t len)
{
	const struct vx_request plain = { .code = request->code, .kind = request->kind, .locks = is_locked(request) };
	struct vx_reason reason;
	struct vx_bounds bounds;

	vx_bounds_ask(&bounds, context, 1);
	vx_reason_start(&reason, buf, len);
	check_length(&reason, request, &bounds);
	check_needs(&reason, request);
	check_flags(&reason, request);
	check_on_demand(&reason, request, &bounds);
	check_range(&reason, request);
	check_iova(&reason, request);
	check_dm(&reason, request);
	check_huge(&reason, request);
	if (request->fd)
		vx_reason_of_fd(&reason, "fd", request->fd, "dmabuf", "dma-buf");
	check_memlock(&reason, request);
	vx_reason_of_code(&reason, &plain, &bounds);
	return vx_out_finish(&reason.out);
}

int vx_mr_fail(const char *call, struct vx_node *node, const struct vx_mr_request *request)
{
	struct ibv_context *context = vx_node_root(node)->node.object.raw;
	struct vx_mr_request full = *request;
	char reason[VX_LONGEST_REASON];
	size_t length;

	full.code = vx_code_of_refusal();
	length = vx_mr_reason(&full, context, reason, sizeof(reason));
	free(node);
	return vx_call_fail(full.code, call, context->device->name, length ? "%s" : NULL, reason);
}
