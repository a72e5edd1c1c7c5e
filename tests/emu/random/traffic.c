/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Moving QPs, posting and polling. */
#include "random.h"

#include <unistd.h>

enum {
	ACCESS_ALL = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC,
	RECV_BIT = 1u << 31
};

static uint32_t any_qpn(void)
{
	struct test_qp *t = any(QP);

	return t ? t->qp->qp_num : below(0x1000);
}

/* The attributes that the next state wants; a wrong transition is refused */
static int fill_transition(struct ibv_qp_attr *a, enum ibv_qp_type type, enum ibv_qp_state to)
{
	bool ud = type == IBV_QPT_UD;
	bool requests = type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND;
	bool responds = type == IBV_QPT_RC || type == IBV_QPT_XRC_RECV;

	*a = (struct ibv_qp_attr){ .qp_state = to,
				   .port_num = 1,
				   .qkey = QKEY,
				   .qp_access_flags = one_in(8) ? 0 : ACCESS_ALL,
				   .path_mtu = one_in(8) ? IBV_MTU_256 : IBV_MTU_1024,
				   .dest_qp_num = any_qpn(),
				   .ah_attr = { .dlid = PORT_LID, .port_num = 1 },
				   .max_rd_atomic = 4,
				   .max_dest_rd_atomic = 4,
				   .min_rnr_timer = 1 + below(8),
				   .timeout = below(10),
				   .retry_cnt = below(4),
				   .rnr_retry = below(8) };
	switch (to) {
	case IBV_QPS_INIT:
		return IBV_QP_PKEY_INDEX | IBV_QP_PORT | (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	case IBV_QPS_RTR:
		return ud ? 0 :
			    IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				       (responds ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0);
	case IBV_QPS_RTS:
		return IBV_QP_SQ_PSN | (requests || responds ? IBV_QP_TIMEOUT : 0) |
		       (requests ? IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0);
	default:
		return 0;
	}
}

/* What was posted before a reset never completes */
static int modify(struct test_qp *t, enum ibv_qp_state to)
{
	struct ibv_qp_attr a;
	int mask = IBV_QP_STATE | fill_transition(&a, t->qp->qp_type, to);
	int rc = ibv_modify_qp(t->qp, &a, mask);

	if (!rc && to == IBV_QPS_RESET) {
		t->sq = (struct counted_queue){ 0 };
		t->rq = (struct counted_queue){ 0 };
	}
	return rc;
}

static void bring_up(struct test_qp *t)
{
	modify(t, IBV_QPS_RESET);
	modify(t, IBV_QPS_INIT);
	modify(t, IBV_QPS_RTR);
	modify(t, IBV_QPS_RTS);
}

void random_modify(void)
{
	struct test_qp *t = any(QP);

	if (!t)
		return;
	if (!one_in(4))
		bring_up(t);
	else
		modify(t, below(IBV_QPS_UNKNOWN));
}

static struct ibv_sge any_sge(void)
{
	struct ibv_mr *mr = any(MR);
	struct ibv_sge s = { (uintptr_t)buffer + below(BUFFER_SIZE), below(2048),
			     mr ? mr->lkey : below(1 << 16) };

	if (mr && !one_in(4)) {
		s.addr = (uintptr_t)mr->addr;
		s.length = below(mr->length < 2048 ? mr->length + 1 : 2048);
	}
	return s;
}

static uint32_t any_rkey(uint64_t *address)
{
	struct ibv_mr *mr = any(MR);
	struct mlx5dv_mkey *mkey = any(MKEY);

	*address = mr ? (uintptr_t)mr->addr & ~7ull : below(256);
	if (mkey && one_in(3)) {
		*address = below(64);
		return mkey->rkey;
	}
	return mr ? mr->rkey : below(1 << 16);
}

static uint64_t wr_id(const struct test_qp *t, uint32_t queue, uint32_t number)
{
	return (uint64_t)t->qp->qp_num << 32 | queue | number;
}

static bool fill_bind(struct ibv_send_wr *wr)
{
	struct ibv_mw *mw = any(MW);
	struct ibv_mr *mr = any(MR);

	if (!mw || !mr)
		return false;
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr->bind_mw.bind_info =
		(struct ibv_mw_bind_info){ mr, (uintptr_t)mr->addr, mr->length / 2, IBV_ACCESS_REMOTE_WRITE };
	return true;
}

static bool fill_ud(struct ibv_send_wr *wr)
{
	static const enum ibv_wr_opcode opcodes[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_SEND,
						      IBV_WR_RDMA_WRITE };

	wr->opcode = opcodes[below(4)];
	wr->wr.ud.ah = any(AH);
	wr->wr.ud.remote_qpn = any_qpn();
	wr->wr.ud.remote_qkey = one_in(4) ? 1 : QKEY;
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

static void post_send(struct test_qp *t)
{
	struct ibv_sge sges[4] = { any_sge(), any_sge(), any_sge(), any_sge() };
	struct ibv_send_wr wr = { .wr_id = wr_id(t, 0, t->sq.posted),
				  .sg_list = sges,
				  .num_sge = below(5),
				  .send_flags = below(16) };
	struct ibv_send_wr *bad;
	bool ok = t->qp->qp_type == IBV_QPT_UD ? fill_ud(&wr) : fill_connected(&wr, t->qp->qp_type);

	/* Inline data are read at once, from where the program says */
	if (wr.opcode != IBV_WR_SEND && wr.opcode != IBV_WR_RDMA_WRITE)
		wr.send_flags &= ~(unsigned int)IBV_SEND_INLINE;
	for (int i = 0; i < 4 && wr.send_flags & IBV_SEND_INLINE; i++)
		sges[i] = (struct ibv_sge){ (uintptr_t)buffer, below(MAX_INLINE), 0 };
	if (ok && t->sends && !ibv_post_send(t->qp, &wr, &bad))
		t->sq.posted++;
}

/* Without room in the WQE, or of another PD, it is an error of the request */
static void post_umr(struct test_qp *t)
{
	struct ibv_sge sges[3] = { any_sge(), any_sge(), any_sge() };
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(t->qp);
	struct mlx5dv_mkey *mkey = any(MKEY);

	/* With a full queue libmlx5 44 writes through a null pointer */
	if (!x || !mkey || t->sq.posted - t->sq.completed >= MAX_WR)
		return;
	ibv_wr_start(x);
	x->wr_id = wr_id(t, 0, t->sq.posted);
	x->wr_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	mlx5dv_wr_mr_list(mlx5dv_qp_ex_from_ibv_qp_ex(x), mkey, ACCESS_ALL & ~IBV_ACCESS_REMOTE_ATOMIC,
			  1 + below(3), sges);
	if (!ibv_wr_complete(x))
		t->sq.posted++;
}

static void post_recv(struct test_qp *t)
{
	struct ibv_sge s = any_sge();
	struct ibv_recv_wr wr = { .wr_id = wr_id(t, RECV_BIT, t->rq.posted),
				  .sg_list = &s,
				  .num_sge = below(2) };
	struct ibv_recv_wr *bad;

	if (t->receives && !ibv_post_recv(t->qp, &wr, &bad))
		t->rq.posted++;
}

static void post_srq_recv(void)
{
	struct ibv_srq *srq = any(SRQ);
	struct ibv_sge s = any_sge();
	struct ibv_recv_wr wr = { .sg_list = &s, .num_sge = 0 }, *bad;

	if (srq)
		ibv_post_srq_recv(srq, &wr, &bad);
}

void random_post(void)
{
	struct test_qp *t = any(QP);

	if (one_in(8))
		post_srq_recv();
	if (!t || t->qp->state == IBV_QPS_RESET)
		return;
	for (uint32_t n = 1 + below(4); n; n--)
		if (one_in(8))
			post_umr(t);
		else if (one_in(2))
			post_send(t);
		else
			post_recv(t);
}

static struct test_qp *find_qp(uint32_t qpn)
{
	for (int i = 0; i < MAX_EACH; i++) {
		struct test_qp *t = world.object[QP][i];

		if (t && t->qp->qp_num == qpn)
			return t;
	}
	return NULL;
}

static void check(const struct ibv_wc *wc)
{
	struct test_qp *t = find_qp(wc->wr_id >> 32);
	struct counted_queue *q;

	if (!wc->wr_id)
		return; /* of an SRQ */
	if (!t)
		fail("a completion of no QP: %llx", (unsigned long long)wc->wr_id);
	q = wc->wr_id & RECV_BIT ? &t->rq : &t->sq;
	if (((uint32_t)wc->wr_id & ~(uint32_t)RECV_BIT) != q->completed)
		fail("qp %x: completion %u instead of %u", t->qp->qp_num, (uint32_t)wc->wr_id, q->completed);
	if (q->completed++ == q->posted)
		fail("qp %x: more completions than requests", t->qp->qp_num);
}

void poll_all(void)
{
	struct ibv_wc wc[16];

	for (int i = 0; i < MAX_EACH; i++) {
		struct ibv_cq *cq = world.object[CQ][i];
		int n = cq ? ibv_poll_cq(cq, 16, wc) : 0;

		if (n < 0)
			fail("poll_cq returns %d", n);
		for (int j = 0; j < n; j++)
			check(&wc[j]);
	}
}

static bool is_drained(const struct test_qp *t)
{
	return t->sq.completed == t->sq.posted && t->rq.completed == t->rq.posted;
}

/* In the error state everything completes, soon */
void drain(void)
{
	for (int i = 0; i < MAX_EACH; i++) {
		struct test_qp *t = world.object[QP][i];

		if (!t)
			continue;
		if (modify(t, IBV_QPS_ERR))
			fail("no way to the error state");
		for (int tries = 0; !is_drained(t); tries++) {
			if (tries == 20000)
				fail("qp %x: %u of %u sends and %u of %u receives completed", t->qp->qp_num,
				     t->sq.completed, t->sq.posted, t->rq.completed, t->rq.posted);
			poll_all();
			usleep(100);
		}
	}
}
