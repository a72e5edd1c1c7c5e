/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Requests: of ibv_post_send(), of libmlx5, and receives. */
#include "random.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

enum {
	MAX_SGE = 4,
	MAX_LENGTH = 2048,
	RAW_SEGMENTS = 4 /* of 16 bytes: one WQEBB */
};

static uint32_t any_qpn(void)
{
	struct test_qp *t = any(QP);

	return t ? t->qp->qp_num : below(0x1000);
}

static uint64_t wr_id(const struct test_qp *t, uint32_t queue, uint32_t number)
{
	return (uint64_t)t->qp->qp_num << 32 | queue | number;
}

static struct ibv_sge any_sge(void)
{
	struct ibv_mr *mr = usual(MR);
	struct ibv_sge s = { (uintptr_t)buffer + below(BUFFER_SIZE), below(MAX_LENGTH),
			     mr ? mr->lkey : below(1 << 16) };

	if (mr && !one_in(32)) {
		s.addr = (uintptr_t)mr->addr;
		s.length = below(mr->length < MAX_LENGTH ? mr->length + 1 : MAX_LENGTH);
	}
	return s;
}

/* Of a region, an mkey, a window, or wrong */
static uint32_t any_rkey(uint64_t *address)
{
	struct ibv_mr *mr = usual(MR);
	struct mlx5dv_mkey *mkey = any(MKEY);
	struct ibv_mw *mw = any(MW);

	*address = mr ? (uintptr_t)mr->addr & ~7ull : below(256);
	if (mkey && one_in(6)) {
		*address = below(64);
		return mkey->rkey;
	}
	if (mw && one_in(8))
		return mw->rkey;
	return mr && !one_in(32) ? mr->rkey : below(1 << 16);
}

/* ---- ibv_post_send() ---- */

static bool fill_bind(struct ibv_send_wr *wr)
{
	struct ibv_mw *mw = any(MW);
	struct ibv_mr *mr = any(MR);

	if (!mw || !mr)
		return false;
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr->bind_mw.bind_info = (struct ibv_mw_bind_info){ mr, (uintptr_t)mr->addr, mr->length / 2,
							   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };
	return true;
}

static bool fill_ud(struct ibv_send_wr *wr)
{
	static const enum ibv_wr_opcode opcodes[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_SEND,
						      IBV_WR_RDMA_WRITE };

	wr->opcode = opcodes[below(ARRAY_SIZE(opcodes))];
	wr->wr.ud.ah = any(AH);
	wr->wr.ud.remote_qpn = one_in(4) ? 0xffffff : any_qpn();
	wr->wr.ud.remote_qkey = one_in(8) ? QKEY + 1 : QKEY;
	return wr->wr.ud.ah;
}

/* Of the opcodes below, those that libmlx5 takes for a QP type come first */
static uint32_t opcodes_of(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return 10;
	case IBV_QPT_XRC_SEND:
		return 7;
	default:
		return 4;
	}
}

static bool fill_connected(struct ibv_send_wr *wr, enum ibv_qp_type type)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND,
		IBV_WR_SEND_WITH_IMM,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_SEND_WITH_INV,
		IBV_WR_LOCAL_INV,
		IBV_WR_BIND_MW,
	};
	struct ibv_srq *srq = any(SRQ);

	wr->opcode = opcodes[below(opcodes_of(type))];
	if (type == IBV_QPT_XRC_SEND && (!srq || ibv_get_srq_num(srq, &wr->qp_type.xrc.remote_srqn)))
		wr->qp_type.xrc.remote_srqn = below(256);
	if (wr->opcode == IBV_WR_BIND_MW)
		return fill_bind(wr);
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		wr->wr.atomic.rkey = any_rkey(&wr->wr.atomic.remote_addr);
	else
		wr->wr.rdma.rkey = any_rkey(&wr->wr.rdma.remote_addr);
	if (wr->opcode == IBV_WR_LOCAL_INV || wr->opcode == IBV_WR_SEND_WITH_INV)
		wr->invalidate_rkey = wr->wr.rdma.rkey;
	return true;
}

static bool post_wr(struct test_qp *t)
{
	struct ibv_sge sges[MAX_SGE] = { any_sge(), any_sge(), any_sge(), any_sge() };
	struct ibv_send_wr wr = { .wr_id = wr_id(t, 0, t->sq.posted),
				  .sg_list = sges,
				  .num_sge = one_in(8) ? below(MAX_SGE + 1) : 1,
				  .send_flags = below(16) };
	struct ibv_send_wr *bad;
	bool ok = t->qp->qp_type == IBV_QPT_UD ? fill_ud(&wr) : fill_connected(&wr, t->qp->qp_type);

	/* Inline data are read at once, from where the program says */
	if (wr.opcode != IBV_WR_SEND && wr.opcode != IBV_WR_RDMA_WRITE)
		wr.send_flags &= ~(unsigned int)IBV_SEND_INLINE;
	for (int i = 0; i < MAX_SGE && wr.send_flags & IBV_SEND_INLINE; i++)
		sges[i] = (struct ibv_sge){ (uintptr_t)buffer, below(MAX_INLINE), 0 };
	return ok && !ibv_post_send(t->qp, &wr, &bad);
}

/* ---- mlx5dv_wr_...(), all between ibv_wr_start() and ibv_wr_complete() ---- */

static bool mr_list(struct ibv_qp_ex *x)
{
	struct ibv_sge sges[] = { any_sge(), any_sge(), any_sge() };
	struct mlx5dv_mkey *mkey = any(MKEY);

	if (mkey)
		mlx5dv_wr_mr_list(mlx5dv_qp_ex_from_ibv_qp_ex(x), mkey, ACCESS_ALL & ~IBV_ACCESS_REMOTE_ATOMIC,
				  1 + below(3), sges);
	return mkey;
}

static bool mr_interleaved(struct ibv_qp_ex *x)
{
	struct ibv_sge a = any_sge(), b = any_sge();
	struct mlx5dv_mr_interleaved data[] = { { a.addr, 1 + below(64), below(64), a.lkey },
						{ b.addr, 1 + below(64), below(64), b.lkey } };
	struct mlx5dv_mkey *mkey = any(MKEY);

	if (mkey)
		mlx5dv_wr_mr_interleaved(mlx5dv_qp_ex_from_ibv_qp_ex(x), mkey,
					 ACCESS_ALL & ~IBV_ACCESS_REMOTE_ATOMIC, 1 + below(5), 1 + below(2), data);
	return mkey;
}

/* libmlx5 prepares for it on the way to RTS, and does not look whether it has, and still has */
static bool memory_copy(struct ibv_qp_ex *x)
{
	struct ibv_sge from = any_sge(), to = any_sge();

	if (x->qp_base.state != IBV_QPS_RTS || world.pd_refused)
		return false;
	mlx5dv_wr_memcpy(mlx5dv_qp_ex_from_ibv_qp_ex(x), to.lkey, to.addr, from.lkey, from.addr, from.length);
	return true;
}

/* Any opcode at all, with a key that may be right and else what comes */
static bool raw_wqe(struct ibv_qp_ex *x)
{
	struct ibv_sge s = any_sge();
	uint32_t count = 1 + below(RAW_SEGMENTS);
	struct {
		struct mlx5_wqe_ctrl_seg ctrl;
		uint32_t words[4 * (RAW_SEGMENTS - 1)];
	} wqe;

	for (size_t i = 0; i < ARRAY_SIZE(wqe.words); i++)
		wqe.words[i] = one_in(2) ? htobe32(s.lkey) : below(1 << 16);
	mlx5dv_set_ctrl_seg(&wqe.ctrl, 0, below(256), 0, x->qp_base.qp_num, MLX5_WQE_CTRL_CQ_UPDATE, count, 0, 0);
	mlx5dv_wr_raw_wqe(mlx5dv_qp_ex_from_ibv_qp_ex(x), &wqe);
	return true;
}

static void set_dc_address(struct ibv_qp_ex *x, struct ibv_ah *ah)
{
	struct mlx5dv_qp_ex *m = mlx5dv_qp_ex_from_ibv_qp_ex(x);
	uint64_t key = one_in(8) ? DC_KEY + 1 : DC_KEY;

	if (one_in(2))
		mlx5dv_wr_set_dc_addr(m, ah, any_qpn(), key);
	else
		mlx5dv_wr_set_dc_addr_stream(m, ah, any_qpn(), key, below(4));
}

static bool dci_request(struct ibv_qp_ex *x)
{
	struct ibv_sge s = any_sge();
	struct ibv_ah *ah = any(AH);
	uint64_t address;
	uint32_t rkey = any_rkey(&address);

	if (!ah)
		return false;
	switch (below(6)) {
	case 0:
		ibv_wr_send(x);
		break;
	case 1:
		ibv_wr_send_imm(x, htonl(1));
		break;
	case 2:
		ibv_wr_rdma_write(x, rkey, address);
		break;
	case 3:
		ibv_wr_rdma_write_imm(x, rkey, address, htonl(2));
		break;
	case 4:
		ibv_wr_rdma_read(x, rkey, address);
		break;
	case 5:
		ibv_wr_atomic_fetch_add(x, rkey, address, 1);
		break;
	}
	set_dc_address(x, ah);
	ibv_wr_set_sge(x, s.lkey, s.addr, s.length);
	return true;
}

static bool post_mlx5(struct test_qp *t)
{
	static bool (*const requests[])(struct ibv_qp_ex *) = { mr_list, mr_interleaved, memory_copy, raw_wqe };
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(t->qp);
	bool begun;

	/* With a full queue libmlx5 44 writes through a null pointer */
	if (t->sq.posted - t->sq.completed >= MAX_WR)
		return false;
	ibv_wr_start(x);
	x->wr_id = wr_id(t, 0, t->sq.posted);
	x->wr_flags = IBV_SEND_SIGNALED | (is_dci(t) ? 0 : IBV_SEND_INLINE);
	begun = is_dci(t) ? dci_request(x) : requests[below(ARRAY_SIZE(requests))](x);
	if (begun)
		return !ibv_wr_complete(x);
	ibv_wr_abort(x);
	return false;
}

/* A window of type 1 is bound by a call, which posts a request for it */
static bool bind_window(struct test_qp *t)
{
	struct ibv_mw *mw = any(MW);
	struct ibv_mr *mr = any(MR);
	struct ibv_mw_bind bind = { .wr_id = wr_id(t, 0, t->sq.posted), .send_flags = IBV_SEND_SIGNALED };

	if (!mw || !mr || mw->type != IBV_MW_TYPE_1)
		return false;
	bind.bind_info = (struct ibv_mw_bind_info){ mr, (uintptr_t)mr->addr, mr->length / 2,
						    IBV_ACCESS_REMOTE_WRITE };
	return !ibv_bind_mw(t->qp, mw, &bind);
}

static bool post_send(struct test_qp *t)
{
	if (is_dci(t))
		return post_mlx5(t);
	if (t->qp->qp_type == IBV_QPT_RC && one_in(8))
		return post_mlx5(t);
	if (t->qp->qp_type == IBV_QPT_RC && one_in(16))
		return bind_window(t);
	return post_wr(t);
}

/* ---- receives ---- */

static bool post_recv(struct test_qp *t)
{
	struct ibv_sge s = any_sge();
	struct ibv_recv_wr wr = { .wr_id = wr_id(t, RECV_BIT, t->rq.posted),
				  .sg_list = &s,
				  .num_sge = one_in(8) ? 0 : 1 };
	struct ibv_recv_wr *bad;

	return !ibv_post_recv(t->qp, &wr, &bad);
}

static void post_srq_recv(void)
{
	struct ibv_srq *srq = any(SRQ);
	struct ibv_sge s = any_sge();
	struct ibv_recv_wr wr = { .wr_id = FREE_ID, .sg_list = &s, .num_sge = below(2) }, *bad;

	for (uint32_t n = below(4); srq && n; n--)
		ibv_post_srq_recv(srq, &wr, &bad);
}

static void receive(struct test_qp *t)
{
	if (t && t->receives && t->qp->state != IBV_QPS_RESET && post_recv(t))
		t->rq.posted++;
}

/* One that is ready to send, if there soon is one */
static struct test_qp *ready_qp(void)
{
	struct test_qp *t = any(QP);

	for (int tries = 0; t && t->qp->state != IBV_QPS_RTS && tries < 4; tries++)
		t = any(QP);
	return t;
}

void random_post(void)
{
	struct test_qp *t = ready_qp();

	post_srq_recv();
	if (!t || t->qp->state == IBV_QPS_RESET)
		return;
	for (uint32_t n = 1 + below(4); n; n--) {
		if (!one_in(4))
			receive(find_qp(t->peer));
		else
			receive(t);
		if (t->sends && !one_in(4) && post_send(t))
			t->sq.posted++;
	}
}
