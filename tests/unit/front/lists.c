/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Lists of requests, and polling: what is given goes on, and what comes back does. */

#include <errno.h>

#include "front/front.h"
#include "unit/post/counting.h"

TestSuite(lists);

Test(lists, of_requests_to_send_go_to_the_qp_as_they_are)
{
	struct ibv_send_wr *bad = NULL, wr = { .wr_id = 5, .opcode = IBV_WR_SEND };

	cr_expect_eq(vx_qp_post_send(make_qp(), &wr, &bad), 0);
	cr_expect_eq(count, 1);
	cr_expect_eq(memcmp(&posted, &wr, sizeof(wr)), 0);
	cr_expect_null(bad);
}

Test(lists, of_requests_to_receive_go_to_qp_srq_and_wq)
{
	struct ibv_recv_wr wr = { .wr_id = 5 };

	cr_expect_eq(vx_qp_post_recv(make_qp(), &wr, NULL), 0);
	cr_expect_eq(vx_srq_post_recv(make_srq(), &wr, NULL), 0);
	cr_expect_eq(vx_wq_post_recv(make_wq(), &wr, NULL), 0);
	cr_expect_eq(count, 3);
	cr_expect_eq(received.wr_id, 5);
}

Test(lists, of_requests_to_receive_by_a_wq_can_be_shown)
{
	struct ibv_recv_wr wr = { .wr_id = 5 };

	cr_expect_eq(vx_wq_post_recv(make_tapped_wq(), &wr, NULL), 0);
	cr_expect_eq(count, 1);
	cr_expect_eq(received.wr_id, 5);
	cr_expect_not_null(strstr(what_is_shown(), "ibv_post_wq_recv(wq=toy wq 0, recv_wr={wr_id=0x5 "), "%s", what_is_shown());
}

static void expect_received(void)
{
	cr_expect_eq(count, 1);
	cr_expect_eq(received.wr_id, 7);
	cr_expect_null(received.next);
	cr_expect_eq(received.sg_list, &entry);
	cr_expect_eq(received.num_sge, 3);
	count = 0;
	received = (struct ibv_recv_wr){ 0 };
}

Test(lists, of_one_request_to_receive_are_made_of_its_parts)
{
	cr_expect_eq(vx_qp_post_recv_one(make_qp(), 7, &entry, 3), 0);
	expect_received();
	cr_expect_eq(vx_srq_post_recv_one(make_srq(), 7, &entry, 3), 0);
	expect_received();
	cr_expect_eq(vx_wq_post_recv_one(make_wq(), 7, &entry, 3), 0);
	expect_received();
}

Test(polling, gives_how_many_completions_there_are)
{
	struct vx_cq *cq = make_cq();

	answer = 2;
	cr_expect_eq(vx_cq_poll(cq, 3, (struct ibv_wc *)&raw_object), 2);
	answer = 0;
	cr_expect_eq(vx_cq_poll(cq, 3, (struct ibv_wc *)&raw_object), 0);
	cr_expect_eq(count, 2);
}

Test(polling, can_wait_for_the_next_completion)
{
	struct vx_cq *cq = make_cq();

	cr_expect_eq(vx_cq_req_notify(cq, 1), 0);
	cr_expect_eq(count, 1);
	answer = EIO;
	cr_expect_eq(vx_cq_req_notify(cq, 1), -EIO);
	cr_expect_str_eq(vx_error_text(), "ibv_req_notify_cq on toy cq 0: Input/output error: the CQ was made without a completion channel");
}

/* ---- extended CQs ---- */

static int started, ended, left;

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	(void)cq;
	cr_expect_eq(attr->comp_mask, 0);
	started++;
	return answer ? answer : left-- ? 0 : ENOENT;
}

static int next_poll(struct ibv_cq_ex *cq)
{
	cq->wr_id++;
	return answer ? answer : left-- ? 0 : ENOENT;
}

static void end_poll(struct ibv_cq_ex *cq)
{
	(void)cq;
	ended++;
}

static struct vx_cq *make_polled(int completions)
{
	struct vx_cq *cq = make_cq();

	cq_ex.start_poll = start_poll;
	cq_ex.next_poll = next_poll;
	cq_ex.end_poll = end_poll;
	cq_ex.wr_id = 1;
	cq_ex.status = IBV_WC_LOC_LEN_ERR;
	left = completions;
	return cq;
}

Test(polling, goes_through_all_completions_and_is_ended)
{
	struct vx_cq *cq = make_polled(3);
	uint64_t sum = 0;
	struct vx_wc *wc;
	int rc;

	for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc)) {
		sum += vx_wc_wr_id(wc);
		cr_expect_eq(vx_wc_status(wc), IBV_WC_LOC_LEN_ERR);
	}
	cr_expect_eq(rc, 0);
	cr_expect_eq(sum, 1 + 2 + 3);
	cr_expect_eq(ended, 1);
}

Test(polling, is_not_ended_where_nothing_was_there)
{
	struct vx_wc *wc;

	cr_expect_eq(vx_cq_start_poll(make_polled(0), &wc), 0);
	cr_expect_eq(started, 1);
	cr_expect_eq(ended, 0);
}

Test(polling, can_be_left_at_a_completion)
{
	struct vx_wc *wc;

	cr_expect_eq(vx_cq_start_poll(make_polled(2), &wc), 1);
	vx_wc_end(wc);
	cr_expect_eq(ended, 1);
}

Test(polling, that_fails_to_start_is_not_ended_and_told)
{
	struct vx_wc *wc;
	struct vx_cq *cq = make_polled(1);

	answer = EIO;
	cr_expect_eq(vx_cq_start_poll(cq, &wc), -EIO);
	cr_expect_eq(ended, 0);
	cr_expect_str_eq(vx_error_text(), "ibv_next_poll on toy cq 0: Input/output error");
}

Test(polling, that_fails_to_go_on_is_ended_and_told)
{
	struct vx_wc *wc;
	struct vx_cq *cq = make_polled(2);

	cr_expect_eq(vx_cq_start_poll(cq, &wc), 1);
	answer = -2; /* as libmlx5 has it */
	cr_expect_eq(vx_wc_next(wc), -EIO);
	cr_expect_eq(ended, 1);
	cr_expect_not_null(strstr(vx_error_text(), "it returned -2"), "%s", vx_error_text());
}

Test(polling, of_structures_that_fails_is_told)
{
	struct vx_cq *cq = make_cq();

	answer = -1;
	cr_expect_eq(vx_cq_poll(cq, 3, (struct ibv_wc *)&raw_object), -EIO);
	cr_expect_not_null(strstr(vx_error_text(), "ibv_poll_cq on toy cq 0: Input/output error: it returned -1"), "%s", vx_error_text());
}

/* ---- a front of a CQ ---- */

static void mend(struct vx_cq *cq)
{
	void *front = vx_mend_end_poll(&cq_ex, "mend");

	cr_assert_not_null(front);
	vx_front_put((struct vx_node *)(void *)cq, front);
}

Test(front_cq, that_is_mended_is_not_ended_after_the_last)
{
	struct vx_cq *cq = make_polled(2);
	struct vx_wc *wc;
	int rc, seen = 0;

	mend(cq);
	for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc))
		cr_expect_eq(vx_wc_wr_id(wc), ++seen);
	cr_expect_eq(rc, 0);
	cr_expect_eq(seen, 2);
	cr_expect_eq(ended, 0);
}

Test(front_cq, that_is_mended_is_ended_where_a_loop_is_left)
{
	struct vx_cq *cq = make_polled(2);
	struct vx_wc *wc;

	mend(cq);
	cr_expect_eq(vx_cq_start_poll(cq, &wc), 1);
	cr_expect_eq(vx_wc_status(wc), IBV_WC_LOC_LEN_ERR);
	vx_wc_end(wc);
	cr_expect_eq(ended, 1);
}

Test(front_cq, that_fails_names_the_cq)
{
	struct vx_cq *cq = make_polled(2);
	struct vx_wc *wc;

	mend(cq);
	answer = EIO;
	cr_expect_eq(vx_cq_start_poll(cq, &wc), -EIO);
	cr_expect_str_eq(vx_error()->object, "toy cq 0");
}

Test(front_cq, goes_on_with_structures_and_events)
{
	struct vx_cq *cq = make_cq();

	mend(cq);
	cr_expect_eq(vx_cq_poll(cq, 3, (struct ibv_wc *)&raw_object), 0);
	cr_expect_eq(vx_cq_req_notify(cq, 1), 0);
	cr_expect_eq(count, 2);
}
