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

/* A UD QP, which has no peer: INIT, ready to receive, ready to send. */
static inline void make_ready(struct vx_qp *qp, uint32_t qkey)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = qkey };

	must(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	must(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	must(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

/* Where a peer is, here a QP at the same port; all that the defaults do not say. */
static inline struct ibv_qp_attr way_to(struct vx_ctx *ctx, const struct vx_qp *peer)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;

	must(vx_ctx_query_port(ctx, 1, &port));
	must(vx_ctx_query_gid(ctx, 1, 0, &gid));
	attr.dest_qp_num = vx_qp_raw(peer)->qp_num;
	attr.ah_attr.dlid = port.lid;
	attr.ah_attr.is_global = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	attr.ah_attr.grh.dgid = gid.gid;
	return attr;
}

/* An RC QP: the same states, and more to be said in each; what a step takes is in its mask. */
static inline void connect_to_itself(struct vx_ctx *ctx, struct vx_qp *qp)
{
	struct ibv_qp_attr attr = way_to(ctx, qp);

	must(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	must(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	attr.qp_state = IBV_QPS_RTS;
	must(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

#endif
