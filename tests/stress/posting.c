/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Every way in which a request can be posted. */

#include "stress.h"

static enum ibv_wr_opcode opcode_of(const struct posting *p)
{
	static const enum ibv_wr_opcode opcodes[KINDS] = {
		[SENDING] = IBV_WR_SEND, [WRITING] = IBV_WR_RDMA_WRITE, [WRITING_WITH_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[READING] = IBV_WR_RDMA_READ, [ADDING] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	return p->request.kind == SENDING && p->has_imm ? IBV_WR_SEND_WITH_IMM : opcodes[p->request.kind];
}

static uint32_t number_of_peer(const struct posting *p)
{
	return vx_qp_raw(p->side->peer->qp)->qp_num;
}

/* As a structure. */
static int post_as_list(struct posting *p)
{
	struct ibv_send_wr wr = { .wr_id = p->wr_id, .sg_list = &p->sge, .num_sge = 1, .opcode = opcode_of(p), .send_flags = p->flags,
				  .imm_data = p->imm }, *bad;

	if (p->side->ah) {
		wr.wr.ud.ah = vx_ah_raw(p->side->ah);
		wr.wr.ud.remote_qpn = number_of_peer(p);
		wr.wr.ud.remote_qkey = QKEY;
	} else if (p->request.kind == ADDING) {
		wr.wr.atomic.remote_addr = p->remote;
		wr.wr.atomic.rkey = p->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = p->remote;
		wr.wr.rdma.rkey = p->rkey;
	}
	if (p->side->pair->type == IBV_QPT_XRC_SEND)
		wr.qp_type.xrc.remote_srqn = p->side->pair->sharing->number;
	return vx_qp_post_send(p->side->qp, &wr, &bad);
}

/* By a function of its own. */
static int post_as_one(struct posting *p)
{
	struct vx_qp *qp = p->side->qp;

	switch (p->side->pair->type == IBV_QPT_XRC_SEND ? IBV_WR_DRIVER1 : opcode_of(p)) {
	case IBV_WR_SEND:
		return p->side->ah ? vx_qp_post_send_to(qp, p->wr_id, p->flags, &p->sge, 1, p->side->ah, number_of_peer(p), QKEY) :
				     vx_qp_post_send_one(qp, p->wr_id, p->flags, &p->sge, 1);
	case IBV_WR_SEND_WITH_IMM:
		return p->side->ah ? vx_qp_post_send_imm_to(qp, p->wr_id, p->flags, &p->sge, 1, p->imm, p->side->ah, number_of_peer(p), QKEY) :
				     vx_qp_post_send_imm(qp, p->wr_id, p->flags, &p->sge, 1, p->imm);
	case IBV_WR_RDMA_WRITE:
		return vx_qp_post_rdma_write(qp, p->wr_id, p->flags, &p->sge, 1, p->rkey, p->remote);
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return vx_qp_post_rdma_write_imm(qp, p->wr_id, p->flags, &p->sge, 1, p->rkey, p->remote, p->imm);
	case IBV_WR_RDMA_READ:
		return vx_qp_post_rdma_read(qp, p->wr_id, p->flags, &p->sge, 1, p->rkey, p->remote);
	default:
		return post_as_list(p);
	}
}

/* By builders; one that is given up before posts nothing. */
static int post_as_built(struct posting *p)
{
	struct vx_wr *wr = vx_wr_start(p->side->qp);
	unsigned int flags = p->flags; /* librxe wants IBV_SEND_INLINE among them, beside the data */

	if (!draw_below(&p->side->pair->worker->chance, 8)) {
		vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
		vx_wr_abort(wr);
		wr = vx_wr_start(p->side->qp);
	}
	switch (opcode_of(p)) {
	case IBV_WR_SEND: vx_wr_send(wr, p->wr_id, flags); break;
	case IBV_WR_SEND_WITH_IMM: vx_wr_send_imm(wr, p->wr_id, flags, p->imm); break;
	case IBV_WR_RDMA_WRITE: vx_wr_rdma_write(wr, p->wr_id, flags, p->rkey, p->remote); break;
	case IBV_WR_RDMA_WRITE_WITH_IMM: vx_wr_rdma_write_imm(wr, p->wr_id, flags, p->rkey, p->remote, p->imm); break;
	case IBV_WR_RDMA_READ: vx_wr_rdma_read(wr, p->wr_id, flags, p->rkey, p->remote); break;
	default: vx_wr_atomic_fetch_add(wr, p->wr_id, flags, p->rkey, p->remote, 1); break;
	}
	if (p->side->ah)
		vx_wr_set_ud_addr(wr, p->side->ah, number_of_peer(p), QKEY);
	if (p->side->pair->type == IBV_QPT_XRC_SEND)
		vx_wr_set_xrc_srqn(wr, p->side->pair->sharing->number);
	if (p->flags & IBV_SEND_INLINE)
		vx_wr_set_inline_data(wr, (void *)(uintptr_t)p->sge.addr, p->sge.length);
	else
		vx_wr_set_sge(wr, p->sge.lkey, p->sge.addr, p->sge.length);
	return vx_wr_complete(wr);
}

void post_in_some_way(struct posting *p)
{
	switch (draw_below(&p->side->pair->worker->chance, 3)) {
	case 0: made(post_as_list(p)); break;
	case 1: made(post_as_one(p)); break;
	default: made(post_as_built(p)); break;
	}
}
