/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where a path begins: the port, and its GID. */

#include <errno.h>
#include <netinet/in.h>

#include <verbsx/enums.h>
#include <verbsx/structs.h>

#include "reason_by_hand.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LONGEST_GID 48

static bool is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid);
}

static void check_kind(struct vx_failure *failure, const char *path, const struct ibv_global_route *grh,
		       const struct ibv_gid_entry *entry)
{
	char own[LONGEST_GID], peer[LONGEST_GID];

	if (entry->gid_type == IBV_GID_TYPE_IB || IN6_IS_ADDR_MULTICAST(&grh->dgid) || is_ipv4(&entry->gid) == is_ipv4(&grh->dgid))
		return;
	vx_snprint(own, sizeof(own), VX_STRUCT(ibv_gid), &entry->gid, VX_COMPACT);
	vx_snprint(peer, sizeof(peer), VX_STRUCT(ibv_gid), &grh->dgid, VX_COMPACT);
	vx_reason_add(failure, "%sgrh.sgid_index = %u is %s, of another kind than dgid = %s", path, grh->sgid_index, own, peer);
}

void vx_reason_of_gid(struct vx_failure *failure, uint8_t port, const char *path, const struct ibv_ah_attr *attr)
{
	struct ibv_gid_entry entry;
	int rc;

	if (!attr->is_global)
		return;
	rc = ibv_query_gid_ex(failure->bounds.context, port, attr->grh.sgid_index, &entry, 0);
	if (rc == ENODATA)
		vx_reason_add(failure, "%sgrh.sgid_index = %u is an empty entry of the GID table of port %u", path,
			      attr->grh.sgid_index, port);
	else if (!rc)
		check_kind(failure, path, &attr->grh, &entry);
}

void vx_explain_ah_path(struct vx_failure *failure)
{
	vx_reason_of_gid(failure, failure->bounds.port, "", (const void *)(uintptr_t)vx_argument(failure, "attr"));
}
