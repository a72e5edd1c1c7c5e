/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <sched.h>

#include "bed.h"

#define QKEY 0x1234

struct vx_comp_channel *channel;
struct vx_cq *cq;
struct vx_qp *qp;

struct vx_ah *way_back(void)
{
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;
	struct vx_ah *ah;

	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_ctx_query_gid(ctx, 1, 0, &gid));
	made(vx_ah_create(pd, &(struct vx_ah_init){ .port_num = 1, .dlid = port.lid, .grh.dgid = gid.gid }, &ah));
	return ah;
}

struct vx_qp *new_qp_in_init(struct vx_cq *of, enum ibv_qp_type type, struct vx_srq *srq)
{
	struct vx_qp_init init = { .send_cq = of, .recv_cq = of, .qp_type = type, .srq = srq };
	struct vx_qp *out;

	made(vx_qp_create(pd, &init, &out));
	made(vx_qp_to_init(out, &(struct vx_path){ .qkey = QKEY, .access = IBV_ACCESS_REMOTE_WRITE }));
	return out;
}

void connect_to(struct vx_qp *which, struct vx_qp *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	made(vx_path_fill(&path, peer));
	vx_path_reverse(&path);
	made(vx_qp_to_rts(which, &path));
}

void break_qp(struct vx_qp *which)
{
	made(vx_qp_to_err(which));
}

void open_loop(void)
{
	open_device();
	made(vx_comp_channel_create(ctx, NULL, &channel));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1000, .channel = channel }, &cq));
	qp = new_qp_in_init(cq, IBV_QPT_RC, NULL);
	connect_to(qp, qp);
}

/* However busy the machine is: what is posted later on a QP and CQ of their own goes there and back three times. */
void settle(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct vx_cq *own;
	struct vx_qp *marker;
	struct ibv_wc wc;
	int i, rc;

	made(vx_cq_create(ctx, NULL, &own));
	marker = new_qp_in_init(own, IBV_QPT_RC, NULL);
	connect_to(marker, marker);
	for (i = 0; i < 3; i++) {
		cr_assert_eq(ibv_post_send(vx_qp_raw(marker), &wr, &bad), 0);
		while (!(rc = vx_cq_poll(own, 1, &wc)))
			;
		cr_assert(rc == 1 && wc.status == IBV_WC_SUCCESS);
	}
	made(vx_close(marker));
	made(vx_close(own));
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
