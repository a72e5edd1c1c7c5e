/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <sched.h>

#include "bed.h"

#define QKEY 0x1234

struct vx_comp_channel *channel;
struct vx_cq *cq;
struct vx_qp *qp;

static void modify(struct vx_qp *which, const struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp_attr own = *attr;

	made(vx_qp_modify(which, &own, mask));
}

static bool is_ud(const struct vx_qp *which)
{
	return vx_qp_raw(which)->qp_type == IBV_QPT_UD;
}

static struct ibv_qp_attr way_to(const struct vx_qp *peer)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;

	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_ctx_query_gid(ctx, 1, 0, &gid));
	attr.dest_qp_num = vx_qp_raw(peer)->qp_num;
	attr.ah_attr.dlid = port.lid;
	attr.ah_attr.is_global = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	attr.ah_attr.grh.dgid = gid.gid;
	attr.qkey = QKEY;
	return attr;
}

struct vx_ah *way_back(void)
{
	struct ibv_qp_attr way = way_to(qp);
	struct vx_ah *ah;

	made(vx_ah_create(pd, &(struct vx_ah_init){ .port_num = 1, .dlid = way.ah_attr.dlid, .grh = way.ah_attr.grh }, &ah));
	return ah;
}

struct vx_qp *new_qp_in_init(struct vx_cq *of, enum ibv_qp_type type, struct vx_srq *srq)
{
	struct vx_qp_init init = { .send_cq = of, .recv_cq = of, .qp_type = type, .srq = srq };
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);
	struct vx_qp *out;

	made(vx_qp_create(pd, &init, &out));
	attr.qp_state = IBV_QPS_INIT;
	attr.qkey = QKEY;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	modify(out, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | (is_ud(out) ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
	return out;
}

void connect_to(struct vx_qp *which, const struct vx_qp *peer)
{
	struct ibv_qp_attr attr = way_to(peer);

	attr.qp_state = IBV_QPS_RTR;
	modify(which, &attr, is_ud(which) ? IBV_QP_STATE : IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
	       IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	attr.qp_state = IBV_QPS_RTS;
	modify(which, &attr, is_ud(which) ? IBV_QP_STATE | IBV_QP_SQ_PSN : IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
	       IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

void break_qp(struct vx_qp *which)
{
	modify(which, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR }, IBV_QP_STATE);
}

void open_loop(void)
{
	open_device();
	made(vx_comp_channel_create(ctx, NULL, &channel));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1000, .channel = channel }, &cq));
	qp = new_qp_in_init(cq, IBV_QPT_RC, NULL);
	connect_to(qp, qp);
}

void wait_for(struct vx_cq *of, struct ibv_wc *wc, int count)
{
	int i;

	for (i = 0; i < count;)
		if (ibv_poll_cq(vx_cq_raw(of), 1, &wc[i]) == 1)
			i++;
		else
			sched_yield();
}
