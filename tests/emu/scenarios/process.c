/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Two processes. */
#include <signal.h>
#include <unistd.h>

#include "peer.h"

TestSuite(process, .init = open_bed, .fini = close_bed);

enum {
	GRH = 40,
	LARGE = 40000, /* more than goes in one piece */
	COUNTER = 50000
};

Test(process, a_send_goes_to_the_other_process)
{
	begin(NO_RNR_LIMIT);
	post_send(bed.a, 1, 0, 16);
	expect_wc(1, 0, IBV_WC_SEND);
	transfer(true, 100, PEER_RECEIVED, 16);
	CHECK(!strcmp(bed.buf + 100, "hello mlx5"));
	end(0);
}

Test(process, what_was_written_in_pieces_is_read_back)
{
	begin(NO_RNR_LIMIT);
	for (int i = 0; i < LARGE; i++)
		bed.buf[i] = (char)(i * 7);
	transfer(false, 0, 0, LARGE);
	memset(bed.buf, 0, LARGE);
	transfer(true, 0, 0, LARGE);
	for (int i = 0; i < LARGE; i++)
		CHECK(bed.buf[i] == (char)(i * 7));
	end(0);
}

Test(process, an_atomic_returns_the_old_value_from_there)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	uint64_t old;

	begin(NO_RNR_LIMIT);
	for (int i = 0; i < 2; i++) {
		start(x, 2, IBV_SEND_SIGNALED);
		ibv_wr_atomic_fetch_add(x, child.peer.rkey, child.peer.buf + COUNTER, 5);
		ibv_wr_set_sge(x, bed.mr->lkey, address(0), sizeof(old));
		CHECK(!ibv_wr_complete(x));
		expect_wc(2, 0, IBV_WC_FETCH_ADD);
	}
	memcpy(&old, bed.buf, sizeof(old));
	CHECK(old == 5);
	end(0);
}

Test(process, a_datagram_goes_to_the_other_process)
{
	struct ibv_qp *ud = make_ud();
	struct ibv_ah *ah;

	begin(NO_RNR_LIMIT);
	ah = ibv_create_ah(bed.pd, &child.peer.path);
	CHECK(ah);
	send_datagram(ud, ah, child.peer.ud_qpn, QKEY);
	expect_wc(2, 0, IBV_WC_SEND);
	for (int i = 0; i < PATIENCE && !bed.buf[100 + GRH]; i++) {
		usleep(1000);
		transfer(true, 100, PEER_DATAGRAM, GRH + 16);
	}
	CHECK(!strcmp(bed.buf + 100 + GRH, "hello mlx5"));
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(ud));
	end(0);
}

Test(process, a_wrong_rkey_is_refused_there)
{
	begin(NO_RNR_LIMIT);
	post_write(bed.a, 1, child.peer.rkey ^ 1, child.peer.buf, "x");
	expect_error(1, IBV_WC_REM_ACCESS_ERR);
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
	end(0);
}

Test(process, the_second_send_finds_no_receiver)
{
	begin(1);
	post_send(bed.a, 1, 0, 16);
	expect_wc(1, 0, IBV_WC_SEND);
	post_send(bed.a, 2, 0, 16);
	expect_error(2, IBV_WC_RNR_RETRY_EXC_ERR);
	end(0);
}

Test(process, a_request_to_the_dead_is_retried_in_vain)
{
	begin(NO_RNR_LIMIT);
	CHECK(!kill(child.pid, SIGKILL));
	end(SIGKILL);
	post_send(bed.a, 1, 0, 16);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
}
