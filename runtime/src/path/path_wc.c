/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The path that a datagram came by. */

#include <verbsx/calls.h>
#include <verbsx/path_ah.h>

#include "error/fail.h"
#include "gid/gid.h"
#include "object/object.h"
#include "verbs/header.h"

#define CALL "vx_path_from_wc"

static void take_header(const struct vx_header *header, bool ethernet, struct vx_path *path)
{
	path->is_global = 1;
	path->sgid = header->sgid;
	path->dgid = header->dgid;
	path->flow_label = header->flow_label;
	path->traffic_class = header->traffic_class;
	path->hop_limit = header->hop_limit;
	if (ethernet)
		path->gid_type = header->udp ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1;
}

static int read_header(const struct vx_ctx *ctx, const void *grh, bool ethernet, struct vx_path *path)
{
	struct vx_header header;

	if (!grh)
		return vx_fail(-EINVAL, CALL, VX_NAME(ctx), "grh is NULL, but wc_flags has IBV_WC_GRH");
	if (!vx_header_read(grh, &header))
		return vx_fail(-EPROTONOSUPPORT, CALL, VX_NAME(ctx), "the 40 bytes are no GRH and no IPv4 header");
	take_header(&header, ethernet, path);
	return 0;
}

/*
 * The P_Key's index is that of datagrams for QP 1 only, and of others anything. Of path bits those count that the port has: of a group they are
 * nobody's. On Ethernet most providers have in sl of which kind the header is: an answer would have it for its priority.
 */
static struct vx_path path_of(struct vx_ctx *ctx, uint32_t port_num, const struct ibv_wc *wc, const struct ibv_port_attr *port)
{
	struct vx_path path = { .ctx = ctx, .port_num = (uint8_t)port_num, .sqpn = wc->src_qp, .dqpn = wc->qp_num };

	if (!vx_port_has_lids(port))
		return path;
	path.sl = wc->sl;
	path.slid = wc->slid;
	path.dlid = (uint16_t)(port->lid | (wc->dlid_path_bits & ((1u << port->lmc) - 1)));
	return path;
}

int vx_path_from_wc_sized(struct vx_ctx *ctx, uint32_t port_num, const struct ibv_wc *wc, size_t size, const void *grh,
			  struct vx_path *out)
{
	struct ibv_port_attr port;
	struct vx_path path;
	struct ibv_wc own;
	int rc;

	if (vx_wrong(ctx, VX_OBJECT_CTX, CALL, "ctx"))
		return -EINVAL;
	if (!wc || !out)
		return vx_null_fail(CALL, wc ? "out" : "wc");
	rc = vx_take_in(&own, sizeof(own), wc, size, CALL, "wc", "dlid_path_bits");
	port_num = port_num ? port_num : 1;
	if (rc == 0 && own.status != IBV_WC_SUCCESS)
		rc = vx_fail(-EINVAL, CALL, VX_NAME(ctx), "the request failed, so it tells of no path");
	if (rc == 0)
		rc = vx_ctx_query_port(ctx, port_num, &port);
	if (rc < 0)
		return rc;
	path = path_of(ctx, port_num, &own, &port);
	if (own.wc_flags & IBV_WC_GRH)
		rc = read_header(ctx, grh, port.link_layer == IBV_LINK_LAYER_ETHERNET, &path);
	if (rc == 0)
		*out = path;
	return rc;
}
