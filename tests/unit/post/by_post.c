/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* ibv_wr_post(3) made of ibv_post_send(3): lists and their data. Each builder has its test in every_post.py. */

#include <errno.h>

#include "post/by_post.h"
#include "unit/post/counting.h"

TestSuite(by_post);

static void expect_entry(const struct ibv_sge *sge, uint64_t addr, uint32_t length, uint32_t lkey)
{
	cr_expect_eq(sge->addr, addr);
	cr_expect_eq(sge->length, length);
	cr_expect_eq(sge->lkey, lkey);
}

Test(by_post, posts_all_requests_as_one_list)
{
	struct vx_wr *wr = begin_by_post();
	uint64_t i;

	for (i = 0; i < 4; i++) {
		vx_wr_rdma_write(wr, i, 0, 1, 2);
		vx_wr_set_sge(wr, 3, i, 5);
	}
	cr_expect_eq(vx_wr_complete(wr), 0);
	cr_expect_eq(count, 1);
	for (i = 0; i < 4; i++) {
		cr_expect_eq(posted.wr_id, i);
		cr_expect_eq(posted.num_sge, 1);
		expect_entry(posted.sg_list, i, 5, 3);
		cr_expect_eq(posted.next == NULL, i == 3);
		if (posted.next)
			posted = *posted.next;
	}
}

Test(by_post, keeps_a_list_of_entries)
{
	struct ibv_sge list[3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
	struct vx_wr *wr = begin_by_post();

	vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
	vx_wr_set_sge_list(wr, 3, list);
	memset(list, 0, sizeof(list));
	cr_expect_eq(vx_wr_complete(wr), 0);
	cr_assert_eq(posted.num_sge, 3);
	expect_entry(&posted.sg_list[0], 1, 2, 3);
	expect_entry(&posted.sg_list[2], 7, 8, 9);
	cr_expect_eq(posted.send_flags, IBV_SEND_SIGNALED);
}

static void expect_inline(const char *text)
{
	cr_assert_eq(posted.num_sge, 1);
	cr_assert_eq(posted.sg_list->length, strlen(text));
	cr_expect_eq(memcmp((const void *)(uintptr_t)posted.sg_list->addr, text, strlen(text)), 0);
	cr_expect_eq(posted.send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
}

Test(by_post, copies_data_that_are_inline)
{
	struct vx_wr *wr = begin_by_post();
	char data[] = "hello";

	vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
	vx_wr_set_inline_data(wr, data, 5);
	memset(data, 0, sizeof(data));
	cr_expect_eq(vx_wr_complete(wr), 0);
	expect_inline("hello");
}

Test(by_post, puts_parts_together_that_are_inline)
{
	struct ibv_data_buf parts[] = { { (char *)"one ", 4 }, { (char *)"two ", 4 }, { NULL, 0 }, { (char *)"and more", 8 } };
	struct vx_wr *wr = begin_by_post();

	vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
	vx_wr_set_inline_data_list(wr, 4, parts);
	cr_expect_eq(vx_wr_complete(wr), 0);
	expect_inline("one two and more");
}

/* The next list of the QP has nothing of it. The QP is nobody's, who could tell what it has room for. */
static void expect_refused(struct vx_wr *wr, int code)
{
	struct ibv_qp_ex *ex = (struct ibv_qp_ex *)(void *)wr;

	cr_expect_eq(ibv_wr_complete(ex), code);
	cr_expect_eq(count, 0);
	ibv_wr_start(ex);
	vx_wr_send(wr, 8, 0);
	cr_expect_eq(vx_wr_complete(wr), 0);
	cr_expect_eq(count, 1);
	cr_expect_eq(posted.wr_id, 8);
	cr_expect_null(posted.next);
}

Test(by_post, posts_nothing_of_more_requests_than_there_is_room_for)
{
	struct vx_wr *wr = begin_by_post();
	int i;

	for (i = 0; i < 6; i++) {
		vx_wr_send(wr, (uint64_t)i, 0);
		vx_wr_set_sge(wr, 1, 2, 3);
	}
	expect_refused(wr, ENOMEM);
}

Test(by_post, posts_nothing_of_more_entries_than_there_is_room_for)
{
	static const struct ibv_sge list[4];
	struct vx_wr *wr = begin_by_post();

	vx_wr_send(wr, 1, 0);
	vx_wr_set_sge_list(wr, 4, list);
	expect_refused(wr, ENOMEM);
}

/* Which a builder of rdma-core cannot be given without a cast, nor, in C++, a text. */
Test(by_post, takes_data_inline_that_are_constant)
{
	static const char data[] = "hello";
	struct vx_wr *wr = begin_by_post();

	vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
	vx_wr_set_inline_data(wr, data, 5);
	cr_expect_eq(vx_wr_complete(wr), 0);
	expect_inline("hello");
}

Test(by_post, posts_nothing_of_more_data_inline_than_there_is_room_for)
{
	char data[17] = { 0 };
	struct ibv_data_buf parts[] = { { data, 1 }, { data, SIZE_MAX } };
	struct vx_wr *wr = begin_by_post();

	vx_wr_send(wr, 1, 0);
	vx_wr_set_inline_data(wr, data, 17);
	expect_refused(wr, ENOMEM);
	ibv_wr_start((struct ibv_qp_ex *)(void *)wr);
	count = 0;
	vx_wr_send(wr, 1, 0);
	vx_wr_set_inline_data_list(wr, 2, parts);
	expect_refused(wr, ENOMEM);
}

Test(by_post, posts_no_datagram_without_an_address)
{
	struct vx_wr *wr = begin_by_post();

	((struct ibv_qp *)(void *)wr)->qp_type = IBV_QPT_UD;
	vx_wr_send(wr, 1, 0);
	vx_wr_set_sge(wr, 1, 2, 3);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	cr_expect_eq(count, 0);
}

Test(by_post, drops_a_list_that_is_aborted)
{
	struct vx_wr *wr = begin_by_post();

	vx_wr_send(wr, 1, 0);
	vx_wr_abort(wr);
	cr_expect_eq(count, 0);
	ibv_wr_start((struct ibv_qp_ex *)(void *)wr);
	cr_expect_eq(vx_wr_complete(wr), 0);
	cr_expect_eq(count, 0);
}

Test(by_post, says_what_the_provider_does)
{
	struct vx_wr *wr = begin_by_post();

	answer = EIO;
	vx_wr_send(wr, 1, 0);
	cr_expect_eq(vx_wr_complete(wr), -EIO);
	cr_expect_eq(count, 1);
	cr_expect_str_eq(vx_error()->object, "toy qp 17");
}

Test(by_post, goes_on_with_lists_of_requests)
{
	struct ibv_send_wr send = { .wr_id = 5 };
	struct ibv_recv_wr recv = { .wr_id = 6 };
	struct vx_qp *qp = make_qp_by_post();

	cr_expect_eq(vx_qp_post_send(qp, &send, NULL), 0);
	cr_expect_eq(vx_qp_post_recv(qp, &recv, NULL), 0);
	cr_expect_eq(posted.wr_id, 5);
	cr_expect_eq(received.wr_id, 6);
}
