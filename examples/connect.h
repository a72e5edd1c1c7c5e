/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef CONNECT_H
#define CONNECT_H

/* The way from a port to itself, and QPs that are ready to send to themselves. */

#include "example.h"

/* By LID where there is one, on Ethernet by GID. */
static inline struct vx_ah *path_to_itself(struct vx_ctx *ctx, struct vx_pd *pd)
{
	struct vx_ah_init where = { .port_num = 1 };
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;
	struct vx_ah *ah;

	must(vx_ctx_query_port(ctx, 1, &port));
	must(vx_ctx_query_gid(ctx, 1, 0, &gid));
	where.dlid = port.lid;
	where.grh.dgid = gid.gid;
	must(vx_ah_create(pd, &where, &ah));
	return ah;
}

/* The way to a peer, here a QP at the same port. One elsewhere would send what it has filled through a socket. */
static inline struct vx_path way_to(struct vx_qp *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };	/* packets are counted from 0 */

	must(vx_path_fill(&path, peer));
	vx_path_reverse(&path);
	return path;
}

/* INIT, ready to receive, ready to send: of whatever type a QP is. */
static inline void connect_to(struct vx_qp *qp, struct vx_qp *peer, int access)
{
	struct vx_path path = way_to(peer);

	path.access = access;
	must(vx_qp_to_rts(qp, &path));
}

#endif
