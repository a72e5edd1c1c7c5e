/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands before a QP: lists of requests go on to the next. */

#include "front.h"

static int front_post_send(struct ibv_qp *front, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	return ibv_post_send(vx_front_next(front), wr, bad_wr);
}

static int front_post_recv(struct ibv_qp *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return ibv_post_recv(vx_front_next(front), wr, bad_wr);
}

/* A plain QP begins as an extended one does, and is no longer than that. */
static void look_like(struct ibv_qp *front, const struct ibv_qp *next)
{
	front->qp_context = next->qp_context;
	front->pd = next->pd;
	front->send_cq = next->send_cq;
	front->recv_cq = next->recv_cq;
	front->srq = next->srq;
	front->handle = next->handle;
	front->qp_num = next->qp_num;
	front->qp_type = next->qp_type;
}

void *vx_front_qp_new(const struct ibv_qp_ex *next, size_t size, void (*fail)(struct ibv_qp_ex *front), const char *call)
{
	struct vx_front_qp *front = vx_front_new(size, call);
	size_t i;

	if (!front)
		return NULL;
	look_like(&front->qp.qp_base, &next->qp_base);
	front->qp.qp_base.context = &front->context;
	front->context.ops.post_send = front_post_send;
	front->context.ops.post_recv = front_post_recv;
	for (i = 0; i < VX_SPARE_POINTERS; i++)
		front->spare[i] = (void (*)(void))fail;
	return front;
}
