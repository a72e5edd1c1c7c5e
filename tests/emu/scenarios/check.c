/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a device checks: ranges, access, PDs, states; and who gets to know. */
#include <unistd.h>

#include "bed.h"

TestSuite(check, .init = open_bed, .fini = close_bed);

enum {
	LOCAL = IBV_ACCESS_LOCAL_WRITE,
	REGION = 4096 /* bytes of the regions here, in the middle of bed.buf */
};

static struct ibv_mr *make_mr(struct ibv_pd *pd, int access)
{
	struct ibv_mr *m = ibv_reg_mr(pd, bed.buf + 8192, REGION, access);

	CHECK(m);
	return m;
}

/* A request of A to the regions of @local and @remote, at an offset */
struct access {
	enum ibv_wr_opcode opcode;
	int offset;
	uint32_t length;
};

static void post(struct access a, uint32_t lkey, uint32_t rkey)
{
	struct ibv_sge s = { address(16384), a.length, lkey };
	struct ibv_send_wr wr = {
		.wr_id = 1, .sg_list = &s, .num_sge = 1, .opcode = a.opcode, .send_flags = IBV_SEND_SIGNALED
	};
	struct ibv_send_wr *bad;

	wr.wr.rdma.remote_addr = address(8192) + a.offset;
	wr.wr.rdma.rkey = rkey;
	if (a.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = address(8192) + a.offset;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	}
	CHECK(!ibv_post_send(bed.a, &wr, &bad));
}

/* Of a responder that refuses: both QPs go to the error state, and its program hears of it */
static void expect_refusal(enum ibv_wc_status status)
{
	bool access = status == IBV_WC_REM_ACCESS_ERR;

	expect_error(1, status);
	CHECK(state_of(bed.a) == IBV_QPS_ERR && state_of(bed.b) == IBV_QPS_ERR);
	expect_qp_event(access ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR, bed.b);
	reconnect(bed.a, bed.b, NO_RNR_LIMIT);
}

Test(check, nothing_outside_a_region_is_reached)
{
	skip_on_soft_roce("soft-RoCE does not answer all of them: the requester retries in vain");

	static const struct access outside[] = {
		{ IBV_WR_RDMA_WRITE, -1, 1 },
		{ IBV_WR_RDMA_WRITE, REGION, 1 },
		{ IBV_WR_RDMA_WRITE, REGION - 8, 9 },
		{ IBV_WR_RDMA_WRITE, 0, REGION + 1 },
		{ IBV_WR_RDMA_READ, REGION - 8, 9 },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, REGION, 8 },
		{ IBV_WR_RDMA_WRITE_WITH_IMM, REGION, 1 },
		{ IBV_WR_RDMA_READ, -8, 16 },
	};
	static const struct access inside[] = {
		{ IBV_WR_RDMA_WRITE, REGION - 8, 8 },	 { IBV_WR_RDMA_WRITE, 0, REGION },
		{ IBV_WR_RDMA_READ, 0, REGION },	 { IBV_WR_ATOMIC_FETCH_AND_ADD, REGION - 8, 8 },
		{ IBV_WR_RDMA_WRITE, REGION + 4096, 0 },
	};
	struct ibv_mr *m = make_mr(bed.pd, ACCESS_ALL);

	for (size_t i = 0; i < SIZE(outside); i++) {
		post(outside[i], bed.mr->lkey, m->rkey);
		expect_refusal(IBV_WC_REM_ACCESS_ERR);
	}
	for (size_t i = 0; i < SIZE(inside); i++) {
		post(inside[i], bed.mr->lkey, m->rkey);
		CHECK(!wait_wc(bed.cq).status);
	}
	CHECK(!ibv_dereg_mr(m));
}

static const struct {
	enum ibv_wr_opcode opcode;
	int access;
} needs[] = {
	{ IBV_WR_RDMA_WRITE, IBV_ACCESS_REMOTE_WRITE },
	{ IBV_WR_RDMA_READ, IBV_ACCESS_REMOTE_READ },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_ACCESS_REMOTE_ATOMIC },
};

Test(check, a_region_allows_what_it_was_made_for)
{
	for (size_t i = 0; i < SIZE(needs); i++) {
		struct ibv_mr *m = make_mr(bed.pd, ACCESS_ALL & ~needs[i].access);

		post((struct access){ needs[i].opcode, 0, 8 }, bed.mr->lkey, m->rkey);
		expect_refusal(IBV_WC_REM_ACCESS_ERR);
		CHECK(!ibv_dereg_mr(m));
	}
}

Test(check, a_qp_allows_what_it_was_made_for)
{
	for (size_t i = 0; i < SIZE(needs); i++) {
		struct ibv_qp_attr a = path_to(bed.a->qp_num);

		a.qp_access_flags &= ~(unsigned int)needs[i].access;
		start_rc(bed.b, a);
		post((struct access){ needs[i].opcode, 0, 8 }, bed.mr->lkey, bed.mr->rkey);
		expect_refusal(IBV_WC_REM_INV_REQ_ERR);
	}
}

Test(check, without_resources_there_are_only_writes)
{
	struct ibv_qp_attr a = path_to(bed.a->qp_num);

	a.max_dest_rd_atomic = 0;
	start_rc(bed.b, a);
	post((struct access){ IBV_WR_RDMA_WRITE, 0, 8 }, bed.mr->lkey, bed.mr->rkey);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	post((struct access){ IBV_WR_RDMA_READ, 0, 8 }, bed.mr->lkey, bed.mr->rkey);
	expect_refusal(IBV_WC_REM_INV_REQ_ERR);
}

Test(check, an_atomic_is_aligned)
{
	skip_on_soft_roce("the library of soft-RoCE does not even post it");

	post((struct access){ IBV_WR_ATOMIC_FETCH_AND_ADD, 4, 8 }, bed.mr->lkey, bed.mr->rkey);
	expect_refusal(IBV_WC_REM_INV_REQ_ERR);
}

Test(check, local_memory_is_checked_as_well)
{
	skip_on_soft_roce("soft-RoCE calls each local error one of the operation");

	struct ibv_pd *pd = ibv_alloc_pd(bed.ctx);
	struct ibv_mr *foreign = ibv_reg_mr(pd, bed.buf, BUF_SIZE, ACCESS_ALL);
	struct ibv_mr *elsewhere = make_mr(bed.pd, LOCAL);
	struct ibv_mr *read_only = ibv_reg_mr(bed.pd, bed.buf, BUF_SIZE, 0);

	CHECK(pd && foreign && read_only);
	post((struct access){ IBV_WR_SEND, 0, 8 }, foreign->lkey, 0);
	expect_own_error(IBV_WC_LOC_PROT_ERR);
	post((struct access){ IBV_WR_RDMA_WRITE, 0, 8 }, elsewhere->lkey, bed.mr->rkey);
	expect_own_error(IBV_WC_LOC_PROT_ERR);
	post((struct access){ IBV_WR_RDMA_READ, 0, 8 }, read_only->lkey, bed.mr->rkey);
	expect_own_error(IBV_WC_LOC_PROT_ERR);
	post((struct access){ IBV_WR_RDMA_WRITE, 0, 8 }, read_only->lkey, bed.mr->rkey);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!ibv_dereg_mr(foreign) && !ibv_dereg_mr(elsewhere) && !ibv_dereg_mr(read_only));
	CHECK(!ibv_dealloc_pd(pd));
}

static void post_recv_to(struct ibv_qp *q, uint64_t wr_id, const struct ibv_mr *m)
{
	struct ibv_sge s = { (uintptr_t)m->addr, 64, m->lkey };
	struct ibv_recv_wr w = { .wr_id = wr_id, .sg_list = &s, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_recv(q, &w, &bad));
}

/* The receiver's mistake is both ends' error */
Test(check, a_receiver_needs_memory_of_its_own)
{
	skip_on_soft_roce("soft-RoCE calls each local error one of the operation");

	struct ibv_pd *pd = ibv_alloc_pd(bed.ctx);
	struct ibv_mr *foreign = make_mr(pd, LOCAL), *read_only = make_mr(bed.pd, 0);
	const struct ibv_mr *wrong[] = { foreign, read_only };

	for (size_t i = 0; i < SIZE(wrong); i++) {
		post_recv_to(bed.b, 2, wrong[i]);
		post_send(bed.a, 1, 0, 8);
		expect_error(2, IBV_WC_LOC_PROT_ERR);
		expect_error(1, IBV_WC_REM_OP_ERR);
		CHECK(state_of(bed.a) == IBV_QPS_ERR && state_of(bed.b) == IBV_QPS_ERR);
		reconnect(bed.a, bed.b, NO_RNR_LIMIT);
	}
	CHECK(!ibv_dereg_mr(foreign) && !ibv_dereg_mr(read_only) && !ibv_dealloc_pd(pd));
}

Test(check, an_unreliable_qp_cannot_read)
{
	skip_on_soft_roce("soft-RoCE has no state SQE");

	struct ibv_qp *q = make_uc_loop();
	struct ibv_sge s = { address(0), 8, bed.mr->lkey };
	struct ibv_send_wr *bad, wr = { .wr_id = 1,
					.sg_list = &s,
					.num_sge = 1,
					.opcode = IBV_WR_RDMA_READ,
					.send_flags = IBV_SEND_SIGNALED };

	CHECK(!ibv_post_send(q, &wr, &bad));
	expect_error(1, IBV_WC_LOC_QP_OP_ERR);
	CHECK(state_of(q) == IBV_QPS_SQE && !ibv_destroy_qp(q));
}

Test(check, a_datagram_is_no_longer_than_the_mtu)
{
	skip_on_soft_roce("soft-RoCE drops it and reports success");

	struct ibv_ah_attr path = path_to_self(0);
	struct ibv_ah *ah = ibv_create_ah(bed.pd, &path);
	struct ibv_qp *q = make_ud();
	struct ibv_sge s = { address(0), 4097, bed.mr->lkey };
	struct ibv_send_wr *bad, wr = { .wr_id = 1,
					.sg_list = &s,
					.num_sge = 1,
					.opcode = IBV_WR_SEND,
					.send_flags = IBV_SEND_SIGNALED };

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = q->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	CHECK(!ibv_post_send(q, &wr, &bad));
	expect_error(1, IBV_WC_LOC_LEN_ERR);
	CHECK(state_of(q) == IBV_QPS_SQE);
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(q));
}

Test(check, both_ends_have_one_mtu)
{
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num);

	to_b.path_mtu = IBV_MTU_256;
	start_rc(bed.a, to_b);
	post((struct access){ IBV_WR_RDMA_WRITE, 0, 256 }, bed.mr->lkey, bed.mr->rkey);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	post((struct access){ IBV_WR_RDMA_WRITE, 0, 257 }, bed.mr->lkey, bed.mr->rkey);
	expect_refusal(IBV_WC_REM_INV_REQ_ERR);
}

Test(check, a_drained_send_queue_waits)
{
	skip_on_soft_roce("soft-RoCE does not go on after SQD");

	struct ibv_qp_attr sqd = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS };
	struct ibv_wc wc;

	CHECK(!ibv_modify_qp(bed.a, &sqd, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY));
	wait_async(IBV_EVENT_SQ_DRAINED);
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "later");
	usleep(5000);
	CHECK(!ibv_poll_cq(bed.cq, 1, &wc) && !bed.buf[4096]);
	CHECK(!ibv_modify_qp(bed.a, &rts, IBV_QP_STATE));
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
}

/* Each queue in its order, without what was not signaled */
Test(check, both_queues_are_flushed_in_order)
{
	uint64_t sent = 2, received = 100;

	for (int i = 0; i < 5; i++)
		post_recv(bed.a, 100 + i, 4096, 64);
	post_write(bed.a, 1, 0xdead00, address(0), "x");
	for (int i = 0; i < 5; i++)
		post_write(bed.a, 2 + i, bed.mr->rkey, address(4096), "y");
	expect_error(1, IBV_WC_REM_ACCESS_ERR);
	for (int i = 0; i < 10; i++) {
		struct ibv_wc wc = wait_wc(bed.cq);

		CHECK(wc.status == IBV_WC_WR_FLUSH_ERR);
		CHECK(wc.wr_id == (wc.wr_id < 100 ? sent++ : received++));
	}
	CHECK(!bed.buf[4096]);
	expect_qp_event(IBV_EVENT_QP_ACCESS_ERR, bed.b);
}
