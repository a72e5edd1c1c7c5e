/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completions with an error, and what they do to the QPs. */
#include "bed.h"

TestSuite(error, .init = open_bed, .fini = close_bed);

Test(error, without_a_receiver_the_retries_run_out)
{
	reconnect(bed.a, bed.b, 1);
	post_send(bed.a, 1, 0, 8);
	expect_error(1, IBV_WC_RNR_RETRY_EXC_ERR);
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
}

Test(error, a_qp_in_error_flushes_at_once)
{
	skip_on_soft_roce("soft-RoCE does not flush what is posted later");

	struct ibv_qp_attr a = { .qp_state = IBV_QPS_ERR };

	CHECK(!ibv_modify_qp(bed.a, &a, IBV_QP_STATE));
	post_recv(bed.a, 2, 4096, 8);
	expect_error(2, IBV_WC_WR_FLUSH_ERR);
	post_send(bed.a, 3, 0, 8);
	expect_error(3, IBV_WC_WR_FLUSH_ERR);
}

Test(error, a_wrong_rkey_breaks_both_ends)
{
	post_recv(bed.b, 3, 4096, 8);
	post_recv(bed.b, 4, 4096, 8);
	post_write(bed.a, 5, 0xdead00, 0, "x");
	expect_error(5, IBV_WC_REM_ACCESS_ERR);
	expect_error(3, IBV_WC_WR_FLUSH_ERR);
	expect_error(4, IBV_WC_WR_FLUSH_ERR);
	expect_qp_event(IBV_EVENT_QP_ACCESS_ERR, bed.b);
}

Test(error, a_wrong_lkey_is_the_senders_own_error)
{
	skip_on_soft_roce("soft-RoCE calls each local error one of the operation");

	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	start(x, 6, IBV_SEND_SIGNALED);
	ibv_wr_send(x);
	ibv_wr_set_sge(x, bed.mr->lkey ^ 1, address(0), 8);
	CHECK(!ibv_wr_complete(x));
	expect_error(6, IBV_WC_LOC_PROT_ERR);
	CHECK(state_of(bed.b) == IBV_QPS_RTS);
}

Test(error, a_message_too_long_breaks_both_ends)
{
	skip_on_soft_roce("soft-RoCE calls each local error one of the operation");

	post_recv(bed.b, 6, 4096, 8);
	post_send(bed.a, 7, 0, 16);
	expect_error(6, IBV_WC_LOC_LEN_ERR);
	expect_error(7, IBV_WC_REM_INV_REQ_ERR);
}
