/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Requests that are sent again: counters, timers, packet sequence numbers. */
#include <unistd.h>

#include "bed.h"

TestSuite(retry, .init = open_bed, .fini = close_bed);

#define RNR_WAIT 40.96 /* ms, of min_rnr_timer 24: a busy machine takes 10 to say that nothing is sent again */

enum { ATTEMPTS = 20 };

static double ms_to_rnr_failure(const struct ibv_qp_attr *to_a, const struct ibv_qp_attr *to_b)
{
	double before;

	start_rc(bed.b, *to_a);
	start_rc(bed.a, *to_b);
	before = now_ms();
	post_send(bed.a, 1, 0, 8);
	expect_own_error(IBV_WC_RNR_RETRY_EXC_ERR);
	return now_ms() - before;
}

/* A busy machine makes some attempts longer, but what retries once more makes none shorter */
Test(retry, rnr_retries_are_counted_and_timed)
{
	struct ibv_qp_attr to_a = path_to(bed.a->qp_num), to_b = path_to(bed.b->qp_num);

	to_a.min_rnr_timer = 24;
	for (int retries = 0; retries < 4; retries += 3) {
		bool once_more = true;

		to_b.rnr_retry = retries;
		for (int i = 0; i < ATTEMPTS && once_more; i++) {
			double spent = ms_to_rnr_failure(&to_a, &to_b);

			CHECK(spent >= retries * RNR_WAIT);
			once_more = spent >= (retries + 1) * RNR_WAIT;
		}
		CHECK(retries || !once_more);
	}
	to_b.rnr_retry = NO_RNR_LIMIT; /* however long a busy machine makes the sleep */
	start_rc(bed.b, to_a);
	start_rc(bed.a, to_b);
	post_send(bed.a, 1, 0, 8);
	usleep(60000);
	post_recv(bed.b, 2, 4096, 64);
	expect_wc(2, 0, IBV_WC_RECV);
	expect_wc(1, 0, IBV_WC_SEND);
}

/* timeout 12 is 16.8 ms; the first attempt and each retry wait so long */
Test(retry, nobody_answers_for_a_qp_that_is_not_there)
{
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num), to_nobody = path_to(0xabcdef);
	double before = now_ms();

	to_nobody.timeout = to_b.timeout = 12;
	to_nobody.retry_cnt = to_b.retry_cnt = 2;
	start_rc(bed.a, to_nobody);
	post_send(bed.a, 1, 0, 8);
	expect_own_error(IBV_WC_RETRY_EXC_ERR);
	CHECK(now_ms() - before >= 3 * 16.7);
	to_reset(bed.b);
	start_rc(bed.a, to_b);
	post_send(bed.a, 1, 0, 8);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
	to_init(bed.b, ACCESS_ALL);
	start_rc(bed.a, to_b);
	post_send(bed.a, 1, 0, 8);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
}

/* Both ends have to agree on the first one */
Test(retry, a_psn_too_high_is_never_taken)
{
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num);

	to_b.timeout = 8;
	to_b.sq_psn = 5;
	start_rc(bed.a, to_b);
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "x");
	expect_own_error(IBV_WC_RETRY_EXC_ERR);
	CHECK(!bed.buf[4096]);
}

Test(retry, a_psn_too_low_was_there_before)
{
	struct ibv_qp_attr to_b = path_to(bed.b->qp_num);

	to_b.sq_psn = FIRST_PSN - 1;
	start_rc(bed.a, to_b);
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "x");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!bed.buf[4096]);
}
