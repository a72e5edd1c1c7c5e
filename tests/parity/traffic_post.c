/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Every way in which a request can be posted. */

#include "traffic.h"

#define FLAGS IBV_SEND_SIGNALED

uint64_t operand_of(uint32_t number)
{
	return 0x0102030405060708 + number / 2 * 2; /* of every second request what a swap compares is there */
}

uint64_t swap_of(uint32_t number)
{
	return ~(uint64_t)number;
}

__be32 imm_of(uint32_t number)
{
	return htobe32(0xabcd0000 + number);
}

uint64_t bit_of(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE: return IBV_QP_EX_WITH_RDMA_WRITE;
	case IBV_WR_RDMA_WRITE_WITH_IMM: return IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	case IBV_WR_SEND: return IBV_QP_EX_WITH_SEND;
	case IBV_WR_SEND_WITH_IMM: return IBV_QP_EX_WITH_SEND_WITH_IMM;
	case IBV_WR_RDMA_READ: return IBV_QP_EX_WITH_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP: return IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD: return IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	default: cr_assert_fail("no traffic of operation %d", (int)op); return 0;
	}
}

static struct ibv_sge entry_of(const struct message *m)
{
	const struct region *out = &m->from->out;

	return (struct ibv_sge){ out->addr, m->size, vx_mr_lkey(out->mr) + m->from->row->wrong_lkey };
}

static uint32_t rkey_of(const struct message *m)
{
	return vx_mr_rkey(m->to->in.mr) + m->from->row->wrong_rkey;
}

static uint64_t addr_of(const struct message *m)
{
	return m->to->in.addr + m->from->row->wrong_addr;
}

static uint32_t qpn_of(const struct message *m)
{
	return vx_qp_raw(m->to->receivers[m->qp])->qp_num;
}

/* ---- a structure ---- */

static void set_remote(const struct message *m, struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr->wr.atomic.remote_addr = addr_of(m);
		wr->wr.atomic.rkey = rkey_of(m);
		wr->wr.atomic.compare_add = operand_of(m->number);
		wr->wr.atomic.swap = swap_of(m->number);
	} else if (m->from->row->type == IBV_QPT_UD) {
		wr->wr.ud.ah = vx_ah_raw(m->from->way);
		wr->wr.ud.remote_qpn = qpn_of(m);
		wr->wr.ud.remote_qkey = QKEY;
	} else {
		wr->wr.rdma.remote_addr = addr_of(m);
		wr->wr.rdma.rkey = rkey_of(m);
	}
}

static int post_structure(const struct message *m)
{
	struct ibv_sge entry = entry_of(m);
	struct ibv_send_wr wr = { .wr_id = m->number, .sg_list = &entry, .num_sge = 1, .opcode = m->from->row->op,
				  .send_flags = FLAGS, .imm_data = imm_of(m->number) };

	set_remote(m, &wr);
	if (m->from->row->type == IBV_QPT_XRC_SEND)
		wr.qp_type.xrc.remote_srqn = m->to->srqn;
	return vx_qp_post_send(m->from->qps[m->qp], &wr, NULL);
}

/* ---- a line ---- */

static int post_datagram(const struct message *m)
{
	struct vx_qp *qp = m->from->qps[m->qp];
	struct ibv_sge entry = entry_of(m);
	struct vx_ah *way = m->from->way;

	if (m->from->row->op == IBV_WR_SEND)
		return vx_qp_post_send_to(qp, m->number, FLAGS, &entry, 1, way, qpn_of(m), QKEY);
	return vx_qp_post_send_imm_to(qp, m->number, FLAGS, &entry, 1, imm_of(m->number), way, qpn_of(m), QKEY);
}

static int post_line(const struct message *m)
{
	const uint64_t number = m->number, addr = addr_of(m);
	struct vx_qp *qp = m->from->qps[m->qp];
	struct ibv_sge entry = entry_of(m);
	uint32_t rkey = rkey_of(m);

	switch (m->from->row->op) {
	case IBV_WR_RDMA_WRITE:
		return vx_qp_post_rdma_write(qp, number, FLAGS, &entry, 1, rkey, addr);
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return vx_qp_post_rdma_write_imm(qp, number, FLAGS, &entry, 1, rkey, addr, imm_of(m->number));
	case IBV_WR_SEND:
		return vx_qp_post_send_one(qp, number, FLAGS, &entry, 1);
	case IBV_WR_SEND_WITH_IMM:
		return vx_qp_post_send_imm(qp, number, FLAGS, &entry, 1, imm_of(m->number));
	case IBV_WR_RDMA_READ:
		return vx_qp_post_rdma_read(qp, number, FLAGS, &entry, 1, rkey, addr);
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return vx_qp_post_atomic_cmp_swp(qp, number, FLAGS, &entry, 1, rkey, addr, operand_of(m->number),
						 swap_of(m->number));
	default:
		return vx_qp_post_atomic_fetch_add(qp, number, FLAGS, &entry, 1, rkey, addr, operand_of(m->number));
	}
}

/* There is none with the number of an SRQ. */
static int post_by_list(const struct message *m)
{
	if (m->from->row->type == IBV_QPT_XRC_SEND || m->number % 2 == 0)
		return post_structure(m);
	return m->from->row->type == IBV_QPT_UD ? post_datagram(m) : post_line(m);
}

/* ---- a builder ---- */

static void build(const struct message *m, struct vx_wr *wr)
{
	const uint64_t number = m->number, addr = addr_of(m);
	uint32_t rkey = rkey_of(m);

	switch (m->from->row->op) {
	case IBV_WR_RDMA_WRITE: vx_wr_rdma_write(wr, number, FLAGS, rkey, addr); break;
	case IBV_WR_RDMA_WRITE_WITH_IMM: vx_wr_rdma_write_imm(wr, number, FLAGS, rkey, addr, imm_of(m->number)); break;
	case IBV_WR_SEND: vx_wr_send(wr, number, FLAGS); break;
	case IBV_WR_SEND_WITH_IMM: vx_wr_send_imm(wr, number, FLAGS, imm_of(m->number)); break;
	case IBV_WR_RDMA_READ: vx_wr_rdma_read(wr, number, FLAGS, rkey, addr); break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		vx_wr_atomic_cmp_swp(wr, number, FLAGS, rkey, addr, operand_of(m->number), swap_of(m->number));
		break;
	default: vx_wr_atomic_fetch_add(wr, number, FLAGS, rkey, addr, operand_of(m->number)); break;
	}
}

static void set_address(const struct message *m, struct vx_wr *wr)
{
	if (m->from->row->type == IBV_QPT_UD)
		vx_wr_set_ud_addr(wr, m->from->way, qpn_of(m), QKEY);
	if (m->from->row->type == IBV_QPT_XRC_SEND)
		vx_wr_set_xrc_srqn(wr, m->to->srqn);
}

static bool goes_out(enum ibv_wr_opcode op)
{
	return op <= IBV_WR_SEND_WITH_IMM;
}

/* What comes back, as of a read, is neither inline nor, of 8 bytes, in parts. */
static void set_data(const struct message *m, struct vx_wr *wr)
{
	struct ibv_sge entry = entry_of(m), halves[2] = { entry, entry };
	bool out = goes_out(m->from->row->op);

	halves[0].length = m->size / 2;
	halves[1].length = m->size - halves[0].length;
	halves[1].addr += halves[0].length;
	if (out && m->number % 3 == 1 && m->size > 1)
		vx_wr_set_sge_list(wr, 2, halves);
	else if (out && m->number % 3 == 2 && m->size && m->size <= m->from->inline_room && m->from->out.memory)
		vx_wr_set_inline_data(wr, m->from->out.memory, m->size);
	else
		vx_wr_set_sge(wr, entry.lkey, entry.addr, entry.length);
}

static int post_by_builder(const struct message *m)
{
	struct vx_wr *wr = vx_wr_start(m->from->qps[m->qp]);

	build(m, wr);
	set_address(m, wr);
	set_data(m, wr);
	return vx_wr_complete(wr);
}

int post(const struct message *m)
{
	return m->from->row->posted == BY_BUILDER ? post_by_builder(m) : post_by_list(m);
}

/* ---- receives ---- */

int post_receive(struct end *end, int qp, uint32_t number)
{
	struct ibv_sge entry = { end->in.addr, ROOM_OF_END, vx_mr_lkey(end->in.mr) };
	struct ibv_recv_wr wr = { .wr_id = number, .sg_list = &entry, .num_sge = 1 };

	if (end->in.dm)
		entry.length = 256;
	if (end->srq)
		return number % 2 ? vx_srq_post_recv_one(end->srq, number, &entry, 1) : vx_srq_post_recv(end->srq, &wr, NULL);
	return number % 2 ? vx_qp_post_recv_one(end->receivers[qp], number, &entry, 1) :
			    vx_qp_post_recv(end->receivers[qp], &wr, NULL);
}
