/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Completions as calls of functions, by request and by QP. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "dispatcher_bed.h"
#include "object/object.h"

TestSuite(dispatcher, .init = open_loop, .fini = close_device, .timeout = 30);

/* ---- by request ---- */

struct request {
	int number;
	struct vx_done done;
};

static int order[64], count;
static enum ibv_wc_status last_status;

static void note_request(struct vx_done *self, const struct ibv_wc *wc)
{
	struct request *request = (struct request *)((char *)self - offsetof(struct request, done));

	last_status = wc->status;
	order[count++] = request->number;
	free(request);
}

static struct vx_done *new_request(int number)
{
	struct request *request = malloc(sizeof(*request));

	*request = (struct request){ number, { note_request } };
	return &request->done;
}

Test(dispatcher, calls_the_function_of_each_request)
{
	int i, rc, all = 0;

	for (i = 0; i < 40; i++)
		complete_with(qp, vx_done_id(new_request(i)));
	while (all < 40) {
		rc = vx_cq_dispatch(cq, 100);
		cr_assert_geq(rc, 0);
		all += rc;
	}
	cr_expect_eq(all, 40);
	for (i = 0; i < 40; i++)
		cr_expect_eq(order[i], i);
	cr_expect_eq(vx_cq_dispatch(cq, 1), 0);
}

Test(dispatcher, takes_no_more_than_it_is_told)
{
	int i;

	for (i = 0; i < 40; i++)
		complete_with(qp, 0);
	settle();
	cr_expect_eq(vx_cq_dispatch(cq, 1), 1);
	cr_expect_eq(vx_cq_dispatch(cq, 17), 17);
	cr_expect_eq(vx_cq_dispatch(cq, 16), 16);
	cr_expect_eq(vx_cq_dispatch(cq, 100), 6);
	cr_expect_eq(vx_cq_dispatch(cq, 0), -EINVAL);
	expect_reason("num_entries = 0");
}

Test(dispatcher, skips_a_request_without_a_function)
{
	complete_with(qp, 0);
	settle();
	cr_expect_eq(vx_cq_dispatch(cq, 4), 1);
}

Test(dispatcher, tells_of_a_request_that_failed_by_its_completion)
{
	fail_calls("RNR_RETRY_EXC_ERR");
	complete_with(qp, vx_done_id(new_request(3)));
	settle();
	cr_expect_eq(vx_cq_dispatch(cq, 4), 1);
	cr_expect_eq(last_status, IBV_WC_RNR_RETRY_EXC_ERR);
}

static struct vx_qp *to_close;

static void close_peer(struct vx_done *self, const struct ibv_wc *wc)
{
	(void)self, (void)wc;
	made(vx_close(to_close));
}

/* Their requests may be freed with it. */
Test(dispatcher, drops_completions_of_a_qp_that_a_function_before_them_closed)
{
	struct vx_done done = { close_peer };
	int i;

	to_close = new_qp_in_init(cq, IBV_QPT_RC, NULL);
	connect_to(to_close, to_close);
	complete_with(qp, vx_done_id(&done));
	settle();
	for (i = 0; i < 4; i++)
		complete_with(to_close, vx_done_id(new_request(i)));
	complete_with(qp, 0);
	settle();
	cr_expect_eq(vx_cq_dispatch(cq, 16), 2);
	cr_expect_eq(count, 0);
}

static int poll_nothing(struct ibv_cq *raw, int num_entries, struct ibv_wc *wc)
{
	(void)raw, (void)num_entries, (void)wc;
	return -1;
}

Test(dispatcher, tells_of_a_cq_that_cannot_be_read_by_what_it_returns)
{
	struct ibv_context context = { .ops.poll_cq = poll_nothing };
	struct ibv_cq front = { .context = &context };

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	((struct vx_object *)cq)->front = &front;
	cr_expect_eq(vx_cq_dispatch(cq, 4), -EIO);
	cr_expect_eq(vx_dispatcher_poll(dispatcher, 4), -EIO);
	expect_reason("ibv_poll_cq on ");
	((struct vx_object *)cq)->front = vx_cq_raw(cq);
}

/* ---- by QP ---- */

Test(dispatcher, refuses_what_it_cannot_do)
{
	struct vx_cq *other;
	struct vx_qp *stranger;

	cr_expect_eq(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .comp_mask = 1 }, &dispatcher), -EINVAL);
	cr_expect_eq(vx_dispatcher_create(cq, NULL, NULL), -EINVAL);
	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	cr_expect_eq(vx_dispatcher_add(dispatcher, qp, NULL, NULL), -EINVAL);
	made(vx_cq_create(ctx, NULL, &other));
	stranger = new_qp_in_init(other, IBV_QPT_RC, NULL);
	cr_expect_eq(vx_dispatcher_add(dispatcher, stranger, tally, NULL), -EINVAL);
	expect_reason("it completes on other CQs than ");
	made(vx_dispatcher_add(dispatcher, qp, tally, NULL));
	cr_expect_eq(vx_dispatcher_add(dispatcher, qp, tally, NULL), -EEXIST);
	cr_expect_eq(vx_dispatcher_poll(dispatcher, 0), -EINVAL);
	cr_expect_eq(vx_dispatcher_poll(dispatcher, 1), 0);
	cr_expect_null(vx_give_back(dispatcher));
}

/* An InfiniBand port has no such QP: one of it is taken for that meanwhile. */
static int add_as_raw_packet(struct vx_qp *as)
{
	int rc;

	vx_qp_raw(as)->qp_type = IBV_QPT_RAW_PACKET;
	rc = vx_dispatcher_add(dispatcher, as, tally, NULL);
	vx_qp_raw(as)->qp_type = IBV_QPT_RC;
	return rc;
}

Test(dispatcher, refuses_a_qp_whose_receives_do_not_tell_whose_they_are)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RC, .send_cq = cq };
	struct vx_qp *sends;

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	cr_expect_eq(add_as_raw_packet(qp), -EOPNOTSUPP);
	expect_reason("receives of IBV_QPT_RAW_PACKET complete without its number");
	made(vx_cq_create(ctx, NULL, &init.recv_cq));
	made(vx_qp_create(pd, &init, &sends));
	made(add_as_raw_packet(sends));
}

Test(dispatcher, calls_the_function_of_each_qp)
{
	enum { QPS = 60 };
	struct vx_qp *qps[QPS];
	int tallies[QPS] = { 0 }, others = 0, i, turn;

	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = tally, .data = &others }, &dispatcher));
	for (i = 0; i < QPS; i++) {
		qps[i] = new_peer();
		made(vx_dispatcher_add(dispatcher, qps[i], tally, &tallies[i]));
	}
	for (turn = 0; turn < 3; turn++)
		for (i = turn; i < QPS; i++)
			complete_with(qps[i], 0);
	complete_with(qp, 0);
	dispatch_all(3 * QPS - 3 + 1);
	for (i = 0; i < QPS; i++)
		cr_expect_eq(tallies[i], i < 2 ? i + 1 : 3);
	cr_expect_eq(others, 1);
}

Test(dispatcher, is_told_of_what_a_drain_has_taken)
{
	struct vx_qp *peer = new_peer();
	int ended = 0, went_on = 0, others = 0;

	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = tally, .data = &others }, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, tally, &ended));
	made(vx_dispatcher_add(dispatcher, qp, tally, &went_on));
	complete_with(peer, 0);
	complete_with(qp, 0);
	complete_with(peer, 0);
	settle();
	made(vx_qp_drain(peer, 1000, vx_dispatcher_tell, dispatcher));
	cr_expect_eq(ended, 2);
	cr_expect_eq(went_on, 1);
	cr_expect_eq(others, 0);
	vx_dispatcher_tell(&(struct ibv_wc){ .qp_num = 0xffffff }, dispatcher);
	cr_expect_eq(others, 1);
	vx_dispatcher_tell(NULL, dispatcher);
	expect_reason("wc is NULL");
	made(vx_close(dispatcher));
}

Test(dispatcher, is_none_where_a_completion_is_told_to_another_handle, .signal = VERBSX_CHECKS ? SIGABRT : 0)
{
	vx_dispatcher_tell(&(struct ibv_wc){ .qp_num = 0xffffff }, cq);
	cr_expect_eq(vx_error()->code, -EINVAL);
}

Test(dispatcher, forgets_a_qp_that_is_closed)
{
	struct vx_qp *peer = new_peer();
	int tallied = 0;

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, tally, &tallied));
	complete_with(peer, 0);
	settle();
	made(vx_close(peer));
	while (vx_dispatcher_poll(dispatcher, 4) > 0)
		;
	cr_expect_eq(tallied, 0);
	made(vx_dispatcher_add(dispatcher, qp, tally, &tallied));
	complete_with(qp, 0);
	dispatch_all(1);
	cr_expect_eq(tallied, 1);
}

Test(dispatcher, is_closed_with_its_cq)
{
	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, qp, tally, NULL));
	made(vx_close(cq));
	cr_expect_eq(live("cq") + live("qp"), 0);
}

Test(dispatcher, may_be_closed_before_its_qps)
{
	int others = 0;

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, qp, tally, NULL));
	made(vx_close(dispatcher));
	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = tally, .data = &others }, &dispatcher));
	complete_with(qp, 0);
	dispatch_all(1);
	cr_expect_eq(others, 1);
	cr_expect_eq(live("qp"), 1);
}

/* ---- many ---- */

static int longest;

/* How many of a list of the registry have the raw object of the CQ. */
static void count_those_of_the_cq(const struct vx_node *node, bool is_there)
{
	int length = 0;

	for (; is_there && node; node = node->next)
		length += node->object.raw == vx_cq_raw(cq);
	if (length > longest)
		longest = length;
}

/* Whoever closes a QP would walk through all others of the CQ. */
Test(dispatcher, its_qps_make_no_list_longer)
{
	int i;

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	vx_registry_follow(count_those_of_the_cq);
	for (i = 0; i < 24; i++)
		cr_expect_eq(vx_dispatcher_add(dispatcher, new_peer(), tally, NULL), 0);
	cr_expect_lt(longest, 12, "%d of 25 are in one list", longest);
}

static void *make_many(void *data)
{
	struct vx_dispatcher *one;
	int i, rc = 0;

	(void)data;
	for (i = 0; i < 3000 && rc == 0; i++)
		rc = vx_dispatcher_create(cq, NULL, &one);
	return (void *)(intptr_t)rc;
}

/* All are in the list of their CQ's raw object, which is gone through where the registry grows. */
Test(dispatcher, many_need_no_more_stack)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *rc;

	pthread_attr_init(&attr);
	cr_assert_eq(pthread_attr_setstacksize(&attr, 32768), 0);
	cr_assert_eq(pthread_create(&thread, &attr, make_many, NULL), 0);
	pthread_join(thread, &rc);
	pthread_attr_destroy(&attr);
	cr_expect_eq((intptr_t)rc, 0);
}
