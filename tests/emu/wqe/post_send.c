/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ibv_post_send() */
#include "wqe.h"

#include <arpa/inet.h>

static void fill_rdma(struct ibv_send_wr *wr)
{
	wr->wr.rdma.remote_addr = address(8192);
	wr->wr.rdma.rkey = REMOTE_KEY;
	wr->imm_data = htonl(IMMEDIATE);
}

static void fill_atomic(struct ibv_send_wr *wr)
{
	wr->sg_list->length = 8;
	wr->wr.atomic.remote_addr = address(8192);
	wr->wr.atomic.rkey = REMOTE_KEY;
	wr->wr.atomic.compare_add = 3;
	wr->wr.atomic.swap = 5;
}

static void fill_bind(struct ibv_send_wr *wr)
{
	wr->num_sge = 0;
	wr->bind_mw.mw = bed.mw;
	wr->bind_mw.rkey = bed.mw_key;
	wr->bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = bed.mr, .addr = address(4096), .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE
	};
}

static void fill_inv(struct ibv_send_wr *wr)
{
	wr->num_sge = wr->opcode == IBV_WR_SEND_WITH_INV;
	wr->invalidate_rkey = REMOTE_KEY;
}

static void fill_destination(struct ibv_send_wr *wr)
{
	if (bed.qp->qp_type == IBV_QPT_XRC_SEND)
		wr->qp_type.xrc.remote_srqn = REMOTE_SRQN;
	if (bed.qp->qp_type != IBV_QPT_UD)
		return;
	wr->wr.ud.ah = bed.ah;
	wr->wr.ud.remote_qpn = REMOTE_QPN;
	wr->wr.ud.remote_qkey = REMOTE_QKEY;
}

static void fill(struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		fill_rdma(wr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		fill_atomic(wr);
		break;
	case IBV_WR_BIND_MW:
		fill_bind(wr);
		break;
	case IBV_WR_LOCAL_INV:
	case IBV_WR_SEND_WITH_INV:
		fill_inv(wr);
		break;
	default:
		wr->imm_data = htonl(IMMEDIATE);
	}
}

static int post(const struct builder *self)
{
	struct ibv_sge s = sge(0, bed.length);
	struct ibv_send_wr wr = {
		.sg_list = &s, .num_sge = 1, .opcode = self->opcode, .send_flags = self->flags
	};
	struct ibv_send_wr *bad;

	fill(&wr);
	fill_destination(&wr);
	return ibv_post_send(bed.qp, &wr, &bad);
}

#define ROW(types, opcode, flags)                                               \
	{                                                                       \
		"ibv_post_send " #opcode " " #flags, types, post, opcode, flags \
	}

/* A DCI has no place for its destination in struct ibv_send_wr */
const struct builder post_send_builders[] = {
	ROW(ANY & ~DCI, IBV_WR_SEND, IBV_SEND_SIGNALED),
	ROW(ANY & ~DCI, IBV_WR_SEND, IBV_SEND_SOLICITED | IBV_SEND_FENCE),
	ROW(ANY & ~DCI, IBV_WR_SEND, IBV_SEND_INLINE),
	ROW(ANY & ~DCI, IBV_WR_SEND_WITH_IMM, 0),
	ROW(CONNECTED & ~DCI, IBV_WR_SEND_WITH_INV, 0),
	ROW(CONNECTED & ~DCI, IBV_WR_RDMA_WRITE, 0),
	ROW(CONNECTED & ~DCI, IBV_WR_RDMA_WRITE, IBV_SEND_INLINE),
	ROW(CONNECTED & ~DCI, IBV_WR_RDMA_WRITE_WITH_IMM, 0),
	ROW(RELIABLE & ~DCI, IBV_WR_RDMA_READ, 0),
	ROW(RELIABLE & ~DCI, IBV_WR_ATOMIC_CMP_AND_SWP, 0),
	ROW(RELIABLE & ~DCI, IBV_WR_ATOMIC_FETCH_AND_ADD, 0),
	ROW(RC, IBV_WR_LOCAL_INV, 0),
	ROW(RC, IBV_WR_BIND_MW, 0),
	{ 0 },
};
