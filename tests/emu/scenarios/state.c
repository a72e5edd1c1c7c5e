/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The state machine of a QP. */
#include "bed.h"

TestSuite(state, .init = open_bed, .fini = close_bed);

Test(state, a_query_returns_what_was_set)
{
	skip_on_soft_roce("what soft-RoCE tells of all these was not compared");

	struct ibv_qp_init_attr init;
	struct ibv_qp_attr q;

	CHECK(!ibv_query_qp(bed.a, &q, 0x1fffff, &init));
	CHECK(q.qp_state == IBV_QPS_RTS && q.path_mtu == IBV_MTU_1024);
	CHECK(q.dest_qp_num == bed.b->qp_num && q.rq_psn == FIRST_PSN && q.sq_psn == FIRST_PSN);
	CHECK(q.max_rd_atomic == 4 && q.max_dest_rd_atomic == 4 /* of 3 */ && q.min_rnr_timer == 12);
	CHECK(q.timeout == 14 && q.retry_cnt == 6 && q.rnr_retry == NO_RNR_LIMIT);
	CHECK(q.port_num == 1 && (q.qp_access_flags | IBV_ACCESS_LOCAL_WRITE) == ACCESS_ALL);
	CHECK(q.ah_attr.dlid == bed.lid && q.cap.max_recv_wr >= 16);
}

static int init(struct ibv_qp_attr a, int mask)
{
	a.qp_state = IBV_QPS_INIT;
	return ibv_modify_qp(bed.a, &a, IBV_QP_STATE | mask);
}

Test(state, a_transition_backwards_is_refused)
{
	CHECK(init((struct ibv_qp_attr){ 0 }, 0) == EINVAL);
	CHECK(state_of(bed.a) == IBV_QPS_RTS);
}

Test(state, attributes_have_to_be_the_right_ones)
{
	const int all = IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS;
	struct ibv_qp_attr good = { .port_num = 1 }, bad = { .port_num = 2 };

	to_reset(bed.a);
	CHECK(init(good, IBV_QP_PORT) == EINVAL);
	CHECK(init(good, all | IBV_QP_QKEY) == EINVAL);
	CHECK(init(bad, all) == EINVAL);
	CHECK(state_of(bed.a) == IBV_QPS_RESET);
	CHECK(!init(good, all));
}

enum {
	TO_RTR = IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV | IBV_QP_MAX_DEST_RD_ATOMIC |
		 IBV_QP_MIN_RNR_TIMER,
	TO_RTS = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		 IBV_QP_MAX_QP_RD_ATOMIC
};

static int modify(enum ibv_qp_state state, struct ibv_qp_attr a, int mask)
{
	a.qp_state = state;
	return ibv_modify_qp(bed.a, &a, IBV_QP_STATE | mask);
}

/* One after the other is left out */
static void expect_all_needed(enum ibv_qp_state state, int mask)
{
	int before = state_of(bed.a);

	for (int bit = 1; bit && bit <= mask; bit <<= 1)
		if (mask & bit)
			CHECK(modify(state, path_to(bed.b->qp_num), mask & ~bit) == EINVAL);
	CHECK(state_of(bed.a) == before);
	CHECK(!modify(state, path_to(bed.b->qp_num), mask));
}

Test(state, no_attribute_may_be_left_out)
{
	to_reset(bed.a);
	to_init(bed.a, ACCESS_ALL);
	expect_all_needed(IBV_QPS_RTR, TO_RTR);
	expect_all_needed(IBV_QPS_RTS, TO_RTS);
}

Test(state, a_state_cannot_be_passed_over)
{
	to_reset(bed.a);
	CHECK(modify(IBV_QPS_RTR, path_to(bed.b->qp_num), TO_RTR) == EINVAL);
	CHECK(modify(IBV_QPS_RTS, path_to(bed.b->qp_num), TO_RTS) == EINVAL);
	to_init(bed.a, ACCESS_ALL);
	CHECK(modify(IBV_QPS_RTS, path_to(bed.b->qp_num), TO_RTS) == EINVAL);
	CHECK(modify(IBV_QPS_SQD, path_to(bed.b->qp_num), 0) == EINVAL);
}

/* Each has one value beyond the limits */
Test(state, values_have_limits)
{
	skip_on_soft_roce("soft-RoCE checks fewer of them");

	struct ibv_qp_attr rtr[5], rts = path_to(bed.b->qp_num);

	for (int i = 0; i < 5; i++)
		rtr[i] = path_to(bed.b->qp_num);
	rtr[0].path_mtu = 0;
	rtr[1].path_mtu = IBV_MTU_4096 + 1;
	rtr[2].max_dest_rd_atomic = 17;
	rtr[3].ah_attr.port_num = 2;
	rtr[4].ah_attr.is_global = 1;
	rtr[4].ah_attr.grh.sgid_index = 200;
	to_reset(bed.a);
	to_init(bed.a, ACCESS_ALL);
	for (int i = 0; i < 5; i++)
		CHECK(modify(IBV_QPS_RTR, rtr[i], TO_RTR) == EINVAL);
	CHECK(!modify(IBV_QPS_RTR, rts, TO_RTR));
	rts.max_rd_atomic = 17;
	CHECK(modify(IBV_QPS_RTS, rts, TO_RTS) == EINVAL);
}
