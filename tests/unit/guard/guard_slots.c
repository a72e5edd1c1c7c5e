/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* How many requests more a checked QP takes: what completes is counted, however it is polled. */

#include <errno.h>

#include "guard_bed.h"

TestSuite(guard_slots, .init = open_checked, .fini = close_device);

static uint32_t fill_queue(unsigned int flags)
{
	const uint32_t depth = room();
	uint32_t i;

	wr = vx_wr_start(qp);
	for (i = 0; i < depth; i++)
		write_one(i, i + 1 == depth ? flags : 0);
	made(vx_wr_complete(wr));
	cr_expect_eq(room(), 0);
	return depth;
}

Test(guard_slots, tells_of_a_full_queue)
{
	uint32_t depth;
	char text[300];

	depth = fill_queue(IBV_SEND_SIGNALED);
	snprintf(text, sizeof(text), "the send queue is full (max_send_wr = %u): %u requests are posted", depth, depth);
	wr = vx_wr_start(qp);
	write_one(7, 0);
	expect_refused(-EAGAIN, text);
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, NULL, 0, 0, 0), -EAGAIN);
	snprintf(text, sizeof(text), "request 1 of 1 (wr_id = 0x7, IBV_WR_RDMA_WRITE): the send queue is full (max_send_wr = %u): as many requests are posted, "
		 "and vx_ functions have polled no completion of one of them. Those that rdma-core polls are not counted; "
		 "without IBV_SEND_SIGNALED there are none", depth);
	cr_expect_str_eq(vx_error()->reason, text);
	poll_all(1);
	cr_expect_eq(room(), depth);
	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	poll_all(1);
}

/* Who waits for -EAGAIN to end would wait for ever. */
Test(guard_slots, tells_of_a_queue_that_was_made_for_no_requests)
{
	struct vx_qp_init init = { .send_cq = done, .recv_cq = done, .checked = true, .cap.max_send_wr = VX_NONE };
	struct vx_mw *mw;
	struct vx_qp *none;

	made(vx_qp_create(pd, &init, &none));
	connect_to(none, none);
	made(vx_mw_create(pd, NULL, &mw));
	cr_expect_eq(vx_qp_post_rdma_write(none, 7, 0, NULL, 0, 0, 0), -EINVAL);
	expect_reason("request 1 of 1 (wr_id = 0x7, IBV_WR_RDMA_WRITE): the send queue was made for no requests (max_send_wr = 0)");
	cr_expect_eq(vx_qp_bind_mw(none, mw, &(struct ibv_mw_bind){ .wr_id = 7 }), -EINVAL);
	expect_reason("the send queue was made for no requests (max_send_wr = 0)");
}

/* Of a list that is open nothing is posted, so polling makes no room for it. */
Test(guard_slots, tells_of_a_list_that_never_fits)
{
	const uint32_t depth = room();
	char text[128];
	uint32_t i;

	wr = vx_wr_start(qp);
	for (i = 0; i <= depth; i++)
		write_one(i, IBV_SEND_SIGNALED);
	snprintf(text, sizeof(text), "request %u (vx_wr_rdma_write, wr_id = 0x%x): a list of more than max_send_wr = %u requests never fits", depth + 1, depth, depth);
	expect_refused(-EINVAL, text);
	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	wr = vx_wr_start(qp);
	for (i = 0; i < depth; i++)
		write_one(i, IBV_SEND_SIGNALED);
	snprintf(text, sizeof(text), "the send queue is full (max_send_wr = %u): 1 requests are posted, the list takes %u more, and", depth, depth);
	cr_expect_eq(vx_wr_complete(wr), -EAGAIN);
	expect_reason(text);
	poll_all(1);
	wr = vx_wr_start(qp);
	for (i = 0; i < depth; i++)
		write_one(i, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	poll_all((int)depth);
}

Test(guard_slots, counts_what_is_polled_one_by_one)
{
	const uint32_t depth = fill_queue(IBV_SEND_SIGNALED);
	struct vx_wc *wc;
	int rc;

	do
		rc = vx_cq_start_poll(done, &wc);
	while (!rc);
	cr_assert_eq(rc, 1);
	cr_expect_eq(vx_wc_wr_id(wc), depth - 1);
	cr_expect_eq(vx_wc_status(wc), IBV_WC_SUCCESS);
	cr_expect_eq(vx_wc_next(wc), 0);
	cr_expect_eq(room(), depth);
}

/* Without them nobody knows whose a completion is, and a list goes on where libmlx5 crashes. */
Test(guard_slots, counts_by_the_numbers_of_qps_in_a_checked_cq)
{
	struct vx_qp_init init = { .send_ops_flags = ALL, .checked = true, .cap = { .max_send_wr = 16, .max_send_sge = 1 } };
	uint32_t depth;
	struct vx_wc *wc;
	int rc;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_BYTE_LEN, .checked = true }, &done));
	init.send_cq = init.recv_cq = done;
	made(vx_qp_create(pd, &init, &qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	depth = fill_queue(IBV_SEND_SIGNALED);
	do
		rc = vx_cq_start_poll(done, &wc);
	while (!rc);
	cr_assert_eq(rc, 1);
	vx_wc_end(wc);
	cr_expect_eq(room(), depth);
	fill_queue(0);
	wr = vx_wr_start(qp);
	write_one(7, 0);
	cr_expect_eq(vx_wr_complete(wr), -EAGAIN);
}

Test(guard_slots, is_not_made_where_completions_do_not_tell_whose_they_are)
{
	struct vx_qp_init init = { .checked = true };
	struct vx_qp *out;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_BYTE_LEN }, &done));
	init.send_cq = init.recv_cq = done;
	cr_expect_eq(vx_qp_create(pd, &init, &out), -EINVAL);
	expect_reason("vx_qp_create on mlx5_0 cq ");
	expect_reason("send_cq was made with .wc_flags without IBV_WC_EX_WITH_QP_NUM");
	init.checked = false;
	made(vx_qp_create(pd, &init, &out));
	cr_expect_eq(vx_qp_check(out), -EINVAL);
}

/* A window is bound by a request in the same queue. */
Test(guard_slots, counts_windows_that_are_bound)
{
	struct vx_mw *mw;
	struct vx_mr *bindable;
	struct ibv_mw_bind bind = { .wr_id = 3, .send_flags = IBV_SEND_SIGNALED };
	const uint32_t depth = room();

	made(vx_mw_create(pd, NULL, &mw));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &bindable));
	bind.bind_info = (struct ibv_mw_bind_info){ .mr = vx_mr_raw(bindable), .addr = (uintptr_t)vx_mr_addr(bindable), .length = 64,
						    .mw_access_flags = IBV_ACCESS_REMOTE_READ };
	made(vx_qp_bind_mw(qp, mw, &bind));
	cr_expect_eq(room(), depth - 1);
	poll_all(1);
	cr_expect_eq(room(), depth);
	fill_queue(IBV_SEND_SIGNALED);
	cr_expect_eq(vx_qp_bind_mw(qp, mw, &bind), -EAGAIN);
	expect_reason("vx_qp_bind_mw on mlx5_0 qp ");
	expect_reason("the send queue is full (max_send_wr = ");
	poll_all(1);
	wr = vx_wr_start(qp);
	cr_expect_eq(vx_qp_bind_mw(qp, mw, &bind), -EDEADLK);
	vx_wr_abort(wr);
	made(vx_qp_reset(qp));
	cr_expect_eq(vx_qp_bind_mw(qp, mw, &bind), -EINVAL);
	expect_reason("the QP is in RESET, and sends from RTS on");
}

/* Of an adopted CQ it is not known until it is polled. */
Test(guard_slots, tells_of_a_cq_whose_completions_do_not_tell_whose_they_are)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN };
	struct ibv_cq_ex *raw = ibv_create_cq_ex(vx_ctx_raw(ctx), &attr);
	struct vx_wc *wc;

	made(vx_cq_adopt(ctx, ibv_cq_ex_to_cq(raw), &done));
	made(vx_cq_check(done));
	cr_expect_eq(vx_cq_start_poll(done, &wc), 0, "nobody is to be counted");
	new_checked(IBV_QPT_RC, 0);
	cr_expect_eq(vx_cq_start_poll(done, &wc), -EOPNOTSUPP);
	expect_reason("vx_cq_start_poll on mlx5_0 cq ");
	expect_reason("the CQ was made without IBV_WC_EX_WITH_QP_NUM in .wc_flags");
}

Test(guard_slots, tells_of_a_cq_whose_completions_are_no_more_than_structures)
{
	struct vx_wc *wc;

	made(vx_cq_create(ctx, NULL, &done));
	new_checked(IBV_QPT_RC, 0);
	cr_expect_eq(vx_cq_start_poll(done, &wc), -EOPNOTSUPP);
	expect_reason("vx_cq_start_poll on mlx5_0 cq ");
	expect_reason("the CQ was made without .wc_flags: use vx_cq_poll(), or make it with them");
}

Test(guard_slots, has_all_slots_again_after_reset)
{
	const uint32_t depth = fill_queue(0);

	made(vx_qp_reset(qp));
	cr_expect_eq(room(), depth);
}

Test(guard_slots, has_slots_again_as_requests_fail)
{
	const uint32_t depth = fill_queue(0);
	struct ibv_wc wc;
	uint32_t posted = 0, flushed = 0;

	made(vx_qp_reset(qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(qp, qp);
	break_qp(qp);
	while (!vx_qp_post_rdma_write(qp, 1, IBV_SEND_SIGNALED, NULL, 0, 0, 0))
		posted++;
	cr_expect_eq(posted, depth);
	cr_expect_eq(room(), 0);
	while (flushed < posted)
		flushed += vx_cq_poll(done, 1, &wc) == 1;
	cr_expect_eq(wc.status, IBV_WC_WR_FLUSH_ERR);
	cr_expect_eq(room(), depth);
}

static void see(const struct ibv_wc *wc, void *data)
{
	(void)wc;
	(void)data;
}

Test(guard_slots, has_slots_again_as_another_qp_is_drained)
{
	struct vx_qp *other = new_checked(IBV_QPT_RC, ALL);
	const uint32_t depth = fill_queue(IBV_SEND_SIGNALED);

	connect_to(other, other);
	while (!room())
		made(vx_qp_drain(other, 5000, see, NULL));
	cr_expect_eq(room(), depth);
}

Test(guard_slots, not_asked_for_tells_no_room)
{
	uint32_t out;

	qp = new_qp_in_init(done, IBV_QPT_RC, NULL);
	cr_expect_eq(vx_qp_room(qp, &out), -EINVAL);
	expect_reason("it is not checked");
	made(vx_qp_check(qp));
	made(vx_qp_check(qp));
	cr_expect_geq(room(), 128);
}

Test(guard_slots, are_all_free_after_a_ring)
{
	struct ibv_send_wr *bad, send = { .wr_id = 7, .next = &send, .opcode = IBV_WR_SEND };
	struct ibv_recv_wr *bad_recv, last = { .wr_id = 9 }, recv = { .wr_id = 8, .next = &last };
	const uint32_t before = room();

	cr_expect_eq(vx_qp_post_send(qp, &send, &bad), -EINVAL);
	expect_reason("request 1 (wr_id = 0x7, IBV_WR_SEND): the list has no end: by its next pointers it is a ring");
	cr_expect_eq(bad, &send);
	cr_expect_eq(room(), before);
	last.next = &recv;
	cr_expect_eq(vx_qp_post_recv(qp, &recv, &bad_recv), -EINVAL);
	expect_reason("request 1 (wr_id = 0x8): the list has no end: by its next pointers it is a ring");
	cr_expect_eq(bad_recv, &recv);
}
