/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Loops over the completions of a checked CQ that are left without vx_wc_end(): libmlx5 would wait for it for ever. */

#include <errno.h>
#include <pthread.h>

#include "unit/post/bed.h"

static struct vx_cq *done;
static struct vx_wc *wc;

static struct vx_qp *new_looped(void)
{
	struct vx_qp *out;

	out = new_qp_in_init(done, IBV_QPT_RC, NULL);
	connect_to(out, out);
	return out;
}

static void begin_loop(void)
{
	struct vx_cq_init init = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_QP_NUM, .checked = true };
	int rc;

	open_device();
	made(vx_cq_create(ctx, &init, &done));
	qp = new_looped();
	made(vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, NULL, 0, 0, 0));
	made(vx_qp_post_rdma_write(qp, 8, IBV_SEND_SIGNALED, NULL, 0, 0, 0));
	settle();
	do
		rc = vx_cq_start_poll(done, &wc);
	while (!rc);
	cr_assert_eq(rc, 1, "%s", vx_error_text());
}

TestSuite(guard_left, .init = begin_loop, .fini = close_device, .timeout = 10);

Test(guard_left, is_told_when_the_next_is_begun)
{
	cr_expect_eq(vx_cq_start_poll(done, &wc), -EDEADLK);
	expect_reason("vx_cq_start_poll on mlx5_0 cq ");
	expect_reason("this thread has left the loop of vx_cq_start_poll() before it was at its end, and without vx_wc_end(), for which this would wait for ever");
	cr_expect_eq(vx_wc_wr_id(wc), 7, "it is where it was");
	vx_wc_end(wc);
	cr_expect_eq(vx_cq_start_poll(done, &wc), 1);
	cr_expect_eq(vx_wc_wr_id(wc), 8);
	cr_expect_eq(vx_wc_next(wc), 0);
}

Test(guard_left, is_told_when_it_is_polled_for_structures)
{
	struct ibv_wc one;

	cr_expect_eq(vx_cq_poll(done, 1, &one), -EDEADLK);
	expect_reason("vx_cq_poll on mlx5_0 cq ");
	expect_reason("without vx_wc_end()");
	vx_wc_end(wc);
	cr_expect_eq(vx_cq_poll(done, 1, &one), 1);
}

Test(guard_left, is_ended_when_the_cq_is_closed)
{
	cr_expect_eq(vx_close(done), 0, "%s", vx_error_text());
}

/* The QP is closed before its CQ, which was made before the PD. */
Test(guard_left, is_ended_when_what_the_cq_is_of_is_closed)
{
	cr_expect_eq(vx_close(ctx), 0, "%s", vx_error_text());
	ctx = NULL;
}

Test(guard_left, is_told_when_a_qp_of_it_is_closed)
{
	cr_expect_eq(vx_close(qp), -EDEADLK);
	expect_reason("vx_close on mlx5_0 qp ");
	expect_reason("this thread is between vx_cq_start_poll() and vx_wc_end() of mlx5_0 cq ");
	cr_expect_eq(vx_wc_next(wc), 1);
	cr_expect_eq(vx_wc_next(wc), 0);
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
}

Test(guard_left, is_told_when_a_qp_is_to_go_to_reset_or_its_cq_to_grow)
{
	cr_expect_eq(vx_qp_reset(qp), -EINVAL);
	expect_reason("this thread is between vx_cq_start_poll() and vx_wc_end() of a CQ of it, for whose lock going to RESET would wait for ever");
	cr_expect_eq(vx_cq_resize(done, 64), -EINVAL);
	expect_reason("this thread is between vx_cq_start_poll() and vx_wc_end() of it");
	vx_wc_end(wc);
	cr_expect_eq(vx_qp_reset(qp), 0, "%s", vx_error_text());
	cr_expect_eq(vx_cq_resize(done, 64), 0, "%s", vx_error_text());
}

Test(guard_left, is_told_when_a_qp_is_to_be_drained_which_stays_as_it_was)
{
	cr_expect_eq(vx_qp_drain(qp, 1000, NULL, NULL), -EDEADLK);
	expect_reason("without vx_wc_end()");
	cr_expect_eq(vx_qp_state(qp), IBV_QPS_RTS);
	vx_wc_end(wc);
	cr_expect_eq(vx_qp_drain(qp, 1000, NULL, NULL), 0, "%s", vx_error_text());
}

Test(guard_left, was_ended_and_is_not_gone_on_with)
{
	vx_wc_end(wc);
	cr_expect_eq(vx_wc_next(wc), -EINVAL);
	expect_reason("this thread is in no loop: that which vx_cq_start_poll() began was ended by vx_wc_end(), or by vx_close()");
	vx_wc_end(wc);
	cr_expect_eq(vx_cq_start_poll(done, &wc), 1);
	cr_expect_eq(vx_wc_wr_id(wc), 8);
	vx_wc_end(wc);
}

static void *poll_once(void *out)
{
	struct vx_wc *other;

	*(int *)out = vx_cq_start_poll(done, &other);
	if (*(int *)out == 1)
		vx_wc_end(other);
	return NULL;
}

static void *end_it(void *unused)
{
	(void)unused;
	vx_wc_end(wc);
	return NULL;
}

Test(guard_left, is_not_ended_by_another_thread)
{
	struct ibv_wc one;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, end_it, NULL), 0);
	pthread_join(thread, NULL);
	cr_expect_eq(vx_cq_poll(done, 1, &one), -EDEADLK);
	vx_wc_end(wc);
}

Test(guard_left, is_what_another_thread_waits_for)
{
	pthread_t thread;
	int rc = 0;

	cr_assert_eq(pthread_create(&thread, NULL, poll_once, &rc), 0);
	vx_wc_end(wc);
	pthread_join(thread, NULL);
	cr_expect_eq(rc, 1);
}
