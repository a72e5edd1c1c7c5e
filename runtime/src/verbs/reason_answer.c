/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why a completion, and the bytes before its message, tell no address to answer to. */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "reason_by_hand.h"
#include "steps.h"

#define VX_TRACE_ASIDE
#include "traced.h"

/* To whom a message was sent. RoCE leaves the header of IPv4 in the last 20 of the 40 bytes, and anything before them. */
static union ibv_gid gid_in(const struct ibv_grh *grh)
{
	const unsigned char *bytes = (const unsigned char *)grh, *ipv4 = bytes + 20;
	union ibv_gid mapped = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (bytes[0] >> 4 == 6 || ipv4[0] != 0x45)
		return grh->dgid;
	memcpy(mapped.raw + 12, ipv4 + 16, 4);
	return mapped;
}

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
	char gid[INET6_ADDRSTRLEN];
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
		inet_ntop(AF_INET6, gid_in(grh).raw, gid, sizeof(gid));
		vx_reason_add(failure, "port %u has no GID %s, to which the message was sent", port, gid);
	}
}
