/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where a path begins: the port, and its GID; and why a completion, and the bytes before its message, tell none to answer by. */

#include <errno.h>
#include <netinet/in.h>

#include "header.h"
#include "reason_by_hand.h"
#include "steps.h"
#include "text/form.h"

#define VX_TRACE_ASIDE
#include "traced.h"

static bool is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid);
}

static void check_kind(struct vx_failure *failure, const char *path, const struct ibv_global_route *grh,
		       const struct ibv_gid_entry *entry)
{
	if (entry->gid_type == IBV_GID_TYPE_IB || IN6_IS_ADDR_MULTICAST(&grh->dgid) || is_ipv4(&entry->gid) == is_ipv4(&grh->dgid))
		return;
	vx_reason_add(failure, "%sgrh.sgid_index = %u is %s, of another kind than dgid = %s", path, grh->sgid_index, VX_GID_TEXT(&entry->gid),
		      VX_GID_TEXT(&grh->dgid));
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

/* ---- answers ---- */

struct ibv_ah_attr vx_answer_of(const void *parent, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh)
{
	struct ibv_ah_attr attr = { 0 };

	ibv_init_ah_from_wc(vx_context_of(parent), port_num, wc, grh, &attr);
	return attr;
}

/*
 * Turns the header round once more: the call may have failed for something else, and then nobody knows what errno was about.
 * Where the GID is not found, rdma-core leaves errno as the look behind the end of the table left it, or alone.
 */
void vx_explain_answer(struct vx_failure *failure)
{
	struct ibv_grh *grh = (void *)(uintptr_t)vx_argument(failure, "grh");
	struct ibv_wc *wc = (void *)(uintptr_t)vx_argument(failure, "wc");
	struct ibv_context *context = failure->bounds.context;
	uint8_t port = failure->bounds.port;
	struct vx_header header;
	struct ibv_port_attr there;
	struct ibv_ah_attr attr;

	if (!(wc->wc_flags & IBV_WC_GRH) || ibv_query_port(context, port, &there))
		return;
	errno = 0;
	if (!ibv_init_ah_from_wc(context, port, wc, grh, &attr))
		return;
	if (errno == EPROTONOSUPPORT) {
		vx_reason_add(failure, "the 40 bytes are no GRH and no IPv4 header");
	} else if (!errno || errno == EINVAL || errno == ENOENT || errno == ENODATA) {
		failure->code = -ENOENT;
		if (!vx_header_read(grh, &header))
			header.dgid = grh->dgid;
		vx_reason_add(failure, "port %u has no GID %s, to which the message was sent", port, VX_GID_TEXT(header.dgid.raw));
	}
}
