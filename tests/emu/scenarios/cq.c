/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completion queues: events, resizing, overrun. */
#include <unistd.h>

#include "bed.h"

TestSuite(cq, .init = open_bed, .fini = close_bed);

static void expect_event(void)
{
	struct ibv_cq *cq;
	void *context;

	wait_readable(bed.channel->fd);
	CHECK(!ibv_get_cq_event(bed.channel, &cq, &context));
	CHECK(cq == bed.cq && context == &bed);
	ibv_ack_cq_events(cq, 1);
}

Test(cq, an_armed_cq_sends_one_event)
{
	CHECK(!ibv_req_notify_cq(bed.cq, 0));
	for (int i = 0; i < 2; i++) {
		post_recv(bed.b, 1, 4096, 64);
		post_send(bed.a, 2, 0, 8);
		expect_wc(1, 0, IBV_WC_RECV);
		expect_wc(2, 0, IBV_WC_SEND);
	}
	expect_event();
	CHECK(!readable(bed.channel->fd, 10));
}

Test(cq, a_solicited_request_ignores_the_others)
{
	CHECK(!ibv_req_notify_cq(bed.cq, 1));
	post_recv(bed.b, 5, 4096, 64);
	post_recv(bed.b, 6, 4096, 64);
	post_send(bed.a, 7, 0, 8);
	CHECK(!readable(bed.channel->fd, 50));
	post_send(bed.a, 8, IBV_SEND_SOLICITED, 8);
	expect_event();
	for (int i = 0; i < 4; i++)
		CHECK(!wait_wc(bed.cq).status);
}

/* As perftest waits: the event, arm, and only then poll */
Test(cq, an_event_is_not_sent_again_for_a_completion_that_was_not_polled)
{
	CHECK(!ibv_req_notify_cq(bed.cq, 0));
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "x");
	expect_event();
	CHECK(!ibv_req_notify_cq(bed.cq, 0));
	cr_expect_not(readable(bed.channel->fd, 30));
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	post_write(bed.a, 2, bed.mr->rkey, address(4096), "x");
	expect_event();
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
}

static void write_some(struct ibv_qp *q, int from, int to)
{
	for (int i = from; i < to; i++)
		post_write(q, i, bed.mr->rkey, address(4096), "x");
}

Test(cq, a_resize_keeps_the_entries)
{
	struct ibv_cq *cq = ibv_create_cq(bed.ctx, 3, NULL, NULL, 0);
	struct ibv_qp *q;

	CHECK(cq);
	q = make_rc(cq, NULL);
	reconnect(q, bed.b, NO_RNR_LIMIT);
	write_some(q, 0, 3);
	usleep(20000);
	CHECK(!ibv_resize_cq(cq, 7));
	write_some(q, 3, 6);
	for (uint64_t i = 0; i < 6; i++)
		CHECK(wait_wc(cq).wr_id == i);
	CHECK(!ibv_destroy_qp(q) && !ibv_destroy_cq(cq));
}

Test(cq, an_overrun_is_an_async_event)
{
	struct ibv_cq *cq = ibv_create_cq(bed.ctx, 3, NULL, NULL, 0);
	struct ibv_qp *q;

	CHECK(cq);
	q = make_rc(cq, NULL);
	reconnect(q, bed.b, NO_RNR_LIMIT);
	write_some(q, 0, 12);
	CHECK(wait_async(IBV_EVENT_CQ_ERR).element.cq == cq);
	CHECK(!ibv_destroy_qp(q) && !ibv_destroy_cq(cq));
}
