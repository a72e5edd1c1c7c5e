/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Completions as calls of functions, by request and by QP. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "bed.h"

#define SETTLED 20000 /* us, after which all has completed */

TestSuite(dispatcher, .init = open_loop, .fini = close_device, .timeout = 30);

/* A write of nothing: one completion. */
static void complete_with(struct vx_qp *of, uint64_t wr_id)
{
	struct ibv_send_wr wr = { .wr_id = wr_id, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED }, *bad;

	cr_assert_eq(ibv_post_send(vx_qp_raw(of), &wr, &bad), 0, "%s", vx_error_text());
}

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
	usleep(SETTLED);
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
	usleep(SETTLED);
	cr_expect_eq(vx_cq_dispatch(cq, 4), 1);
}

Test(dispatcher, tells_of_a_request_that_failed_by_its_completion)
{
	fail_calls("RNR_RETRY_EXC_ERR");
	complete_with(qp, vx_done_id(new_request(3)));
	usleep(SETTLED);
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
	usleep(SETTLED);
	for (i = 0; i < 4; i++)
		complete_with(to_close, vx_done_id(new_request(i)));
	complete_with(qp, 0);
	usleep(SETTLED);
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
	struct vx_dispatcher *dispatcher;

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	((struct vx_object *)cq)->front = &front;
	cr_expect_eq(vx_cq_dispatch(cq, 4), -EIO);
	cr_expect_eq(vx_dispatcher_poll(dispatcher, 4), -EIO);
	expect_reason("ibv_poll_cq on ");
	((struct vx_object *)cq)->front = vx_cq_raw(cq);
}

/* ---- by QP ---- */

static struct vx_dispatcher *dispatcher;

static void tally(const struct ibv_wc *wc, void *data)
{
	(void)wc;
	++*(int *)data;
}

static struct vx_qp *new_peer(void)
{
	struct vx_qp *peer = new_qp_in_init(cq, IBV_QPT_RC, NULL);

	connect_to(peer, peer);
	return peer;
}

static void poll_all(int expected)
{
	int rc, all = 0;

	while (all < expected) {
		rc = vx_dispatcher_poll(dispatcher, 64);
		cr_assert_geq(rc, 0, "%s", vx_error_text());
		all += rc;
	}
	cr_assert_eq(all, expected);
}

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
	poll_all(3 * QPS - 3 + 1);
	for (i = 0; i < QPS; i++)
		cr_expect_eq(tallies[i], i < 2 ? i + 1 : 3);
	cr_expect_eq(others, 1);
}

Test(dispatcher, forgets_a_qp_that_is_closed)
{
	struct vx_qp *peer = new_peer();
	int tallied = 0;

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, tally, &tallied));
	complete_with(peer, 0);
	usleep(SETTLED);
	made(vx_close(peer));
	while (vx_dispatcher_poll(dispatcher, 4) > 0)
		;
	cr_expect_eq(tallied, 0);
	made(vx_dispatcher_add(dispatcher, qp, tally, &tallied));
	complete_with(qp, 0);
	poll_all(1);
	cr_expect_eq(tallied, 1);
}

static void close_it(const struct ibv_wc *wc, void *data)
{
	tally(wc, data);
	made(vx_close(to_close));
}

Test(dispatcher, lets_a_function_close_its_qp)
{
	int tallied = 0, others = 0;

	to_close = new_peer();
	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = tally, .data = &others }, &dispatcher));
	made(vx_dispatcher_add(dispatcher, to_close, close_it, &tallied));
	complete_with(to_close, 0);
	complete_with(to_close, 0);
	usleep(SETTLED);
	cr_expect_eq(vx_dispatcher_poll(dispatcher, 4), 1);
	cr_expect_eq(tallied, 1);
	cr_expect_eq(others, 0);
}

static pthread_barrier_t inside;
static int returned, still_running;

static void take_long(const struct ibv_wc *wc, void *data)
{
	(void)wc, (void)data;
	pthread_barrier_wait(&inside);
	usleep(SETTLED);
	__atomic_store_n(&returned, 1, __ATOMIC_RELEASE);
}

static void *close_meanwhile(void *which)
{
	pthread_barrier_wait(&inside);
	if (vx_close(which) < 0 || !__atomic_load_n(&returned, __ATOMIC_ACQUIRE))
		still_running = 1;
	return NULL;
}

Test(dispatcher, is_waited_for_by_who_closes_a_qp)
{
	struct vx_qp *peer = new_peer();
	pthread_t thread;

	pthread_barrier_init(&inside, NULL, 2);
	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, take_long, NULL));
	complete_with(peer, 0);
	cr_assert_eq(pthread_create(&thread, NULL, close_meanwhile, peer), 0);
	poll_all(1);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_eq(still_running, 0);
}

/* The QP is closed by a thread that waits for this, which would wait for it. */
static void close_pd_meanwhile(const struct ibv_wc *wc, void *peer)
{
	(void)wc;
	pthread_barrier_wait(&inside);
	while (vx_dispatcher_add(dispatcher, peer, tally, NULL) != -EBUSY)
		usleep(100);
	cr_expect_eq(vx_close(pd), -EDEADLK);
	expect_reason("another thread closes the qp, and waits until the function of the program returns that calls this");
	__atomic_store_n(&returned, 1, __ATOMIC_RELEASE);
}

Test(dispatcher, is_not_waited_for_by_its_functions)
{
	struct vx_qp *peer = new_peer();
	pthread_t thread;

	pthread_barrier_init(&inside, NULL, 2);
	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, close_pd_meanwhile, peer));
	complete_with(peer, 0);
	cr_assert_eq(pthread_create(&thread, NULL, close_meanwhile, peer), 0);
	poll_all(1);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_eq(still_running, 0);
	made(vx_close(pd));
}

static void stay(const struct ibv_wc *wc, void *data)
{
	(void)wc, (void)data;
	pthread_barrier_wait(&inside);
	for (;;)
		pause();
}

static void stay_for_request(struct vx_done *self, const struct ibv_wc *wc)
{
	(void)self;
	stay(wc, NULL);
}

static void *dispatch_requests(void *nothing)
{
	while (!vx_cq_dispatch(cq, 4))
		;
	return nothing;
}

static void *dispatch_qps(void *nothing)
{
	while (!vx_dispatcher_poll(dispatcher, 4))
		;
	return nothing;
}

static void cancel_inside(void *(*dispatch)(void *nothing))
{
	pthread_t thread;

	pthread_barrier_init(&inside, NULL, 2);
	cr_assert_eq(pthread_create(&thread, NULL, dispatch, NULL), 0);
	pthread_barrier_wait(&inside);
	cr_assert_eq(pthread_cancel(thread), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

Test(dispatcher, is_closed_after_a_thread_was_cancelled_in_a_function)
{
	struct vx_done done = { stay_for_request };
	struct vx_qp *peer = new_peer();

	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, stay, NULL));
	complete_with(peer, 0);
	cancel_inside(dispatch_qps);
	made(vx_close(peer));
	made(vx_close(dispatcher));
	complete_with(qp, vx_done_id(&done));
	cancel_inside(dispatch_requests);
	made(vx_close(cq));
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
	poll_all(1);
	cr_expect_eq(others, 1);
	cr_expect_eq(live("qp"), 1);
}

static void *kept;

static void try_to_close(const struct ibv_wc *wc, void *data)
{
	tally(wc, data);
	cr_expect_eq(vx_close(kept), -EBUSY);
	expect_reason("it calls functions of the program, and one of them has not returned yet");
	cr_expect_eq(vx_close(ctx), -EBUSY);
}

Test(dispatcher, is_not_closed_by_its_functions)
{
	int tallied = 0, others = 0;

	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = try_to_close, .data = &others }, &dispatcher));
	kept = dispatcher;
	complete_with(qp, 0);
	poll_all(1);
	made(vx_dispatcher_add(dispatcher, qp, try_to_close, &tallied));
	complete_with(qp, 0);
	poll_all(1);
	cr_expect_eq(tallied + others, 2);
	made(vx_close(dispatcher));
}

static void close_cq_in(struct vx_done *self, const struct ibv_wc *wc)
{
	(void)self, (void)wc;
	cr_expect_eq(vx_close(cq), -EBUSY);
	expect_reason("a function of the program was called to use it, and has not returned yet");
}

Test(dispatcher, of_requests_has_a_cq_that_its_functions_do_not_close)
{
	struct vx_done done = { close_cq_in };

	complete_with(qp, vx_done_id(&done));
	while (!vx_cq_dispatch(cq, 1))
		;
	made(vx_close(cq));
}

static void give_cq_back_in(struct vx_done *self, const struct ibv_wc *wc)
{
	(void)self, (void)wc;
	made(vx_close(qp));
	cr_expect_null(vx_give_back(cq));
	expect_reason("vx_give_back on ");
	expect_reason("a function of the program was called to use it, and has not returned yet");
}

Test(dispatcher, of_requests_has_a_cq_that_its_functions_do_not_give_back)
{
	struct vx_done done = { give_cq_back_in };

	complete_with(qp, vx_done_id(&done));
	while (!vx_cq_dispatch(cq, 1))
		;
	made(vx_close(cq));
}
