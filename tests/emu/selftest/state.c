/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The state machine of a QP. */
#include "selftest.h"

static void a_query_returns_what_was_set(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr q;

	CHECK(!ibv_query_qp(bed.a, &q, 0x1fffff, &init));
	CHECK(q.qp_state == IBV_QPS_RTS && q.path_mtu == IBV_MTU_1024);
	CHECK(q.dest_qp_num == bed.b->qp_num && q.rq_psn == 0x111 && q.sq_psn == 0x222);
	CHECK(q.max_rd_atomic == 4 && q.max_dest_rd_atomic == 3 && q.min_rnr_timer == 12);
	CHECK(q.timeout == 14 && q.retry_cnt == 6 && q.rnr_retry == NO_RNR_LIMIT);
	CHECK(q.port_num == 1 && q.qp_access_flags == ACCESS_ALL);
	CHECK(q.ah_attr.dlid == bed.lid && q.cap.max_recv_wr >= 16);
}

static int init(struct ibv_qp_attr a, int mask)
{
	a.qp_state = IBV_QPS_INIT;
	return ibv_modify_qp(bed.a, &a, IBV_QP_STATE | mask);
}

static void a_transition_backwards_is_refused(void)
{
	CHECK(init((struct ibv_qp_attr){ 0 }, 0) == EINVAL);
	CHECK(state_of(bed.a) == IBV_QPS_RTS);
}

static void attributes_have_to_be_the_right_ones(void)
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

const struct test state_tests[] = {
	{ "a_query_returns_what_was_set", a_query_returns_what_was_set },
	{ "a_transition_backwards_is_refused", a_transition_backwards_is_refused },
	{ "attributes_have_to_be_the_right_ones", attributes_have_to_be_the_right_ones },
	{ 0 },
};
