/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Functions that dispatching calls: what they close, who waits for them, and threads that end in one. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dispatcher_bed.h"
#include "object/object.h"

TestSuite(dispatcher_inside, .init = open_loop, .fini = close_device, .timeout = 30);

static struct vx_qp *to_close;

static void close_it(const struct ibv_wc *wc, void *data)
{
	tally(wc, data);
	made(vx_close(to_close));
}

Test(dispatcher_inside, lets_a_function_close_its_qp)
{
	int tallied = 0, others = 0;

	to_close = new_peer();
	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = tally, .data = &others }, &dispatcher));
	made(vx_dispatcher_add(dispatcher, to_close, close_it, &tallied));
	complete_with(to_close, 0);
	complete_with(to_close, 0);
	settle();
	cr_expect_eq(vx_dispatcher_poll(dispatcher, 4), 1);
	cr_expect_eq(tallied, 1);
	cr_expect_eq(others, 0);
}

#define LONG_US 20000

static pthread_barrier_t inside;
static int returned, still_running;

static void take_long(const struct ibv_wc *wc, void *data)
{
	(void)wc, (void)data;
	pthread_barrier_wait(&inside);
	usleep(LONG_US);
	__atomic_store_n(&returned, 1, __ATOMIC_RELEASE);
}

static void *close_meanwhile(void *which)
{
	pthread_barrier_wait(&inside);
	if (vx_close(which) < 0 || !__atomic_load_n(&returned, __ATOMIC_ACQUIRE))
		still_running = 1;
	return NULL;
}

Test(dispatcher_inside, is_waited_for_by_who_closes_a_qp)
{
	struct vx_qp *peer = new_peer();
	pthread_t thread;

	pthread_barrier_init(&inside, NULL, 2);
	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, take_long, NULL));
	complete_with(peer, 0);
	cr_assert_eq(pthread_create(&thread, NULL, close_meanwhile, peer), 0);
	dispatch_all(1);
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

Test(dispatcher_inside, is_not_waited_for_by_its_functions)
{
	struct vx_qp *peer = new_peer();
	pthread_t thread;

	pthread_barrier_init(&inside, NULL, 2);
	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, peer, close_pd_meanwhile, peer));
	complete_with(peer, 0);
	cr_assert_eq(pthread_create(&thread, NULL, close_meanwhile, peer), 0);
	dispatch_all(1);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_eq(still_running, 0);
	made(vx_close(pd));
}

/* Threads that dispatch, each of which closes the next one's QP in its function, or what that is of. */
#define AROUND 3

static struct around {
	struct vx_cq *cq;
	struct vx_pd *pd;
	struct vx_qp *qp;
	struct vx_dispatcher *dispatcher;
	void *to_close;
	int rc, tallied;
	char reason[256];
} around[AROUND];

static void close_its(struct around *of)
{
	of->rc = vx_close(of->to_close);
	if (of->rc < 0)
		snprintf(of->reason, sizeof(of->reason), "%s", vx_error_text());
}

static void close_next_one(const struct ibv_wc *wc, void *data)
{
	struct around *of = data;

	tally(wc, &of->tallied);
	if (of->tallied > 1)
		return;
	pthread_barrier_wait(&inside);
	close_its(of);
}

static void *dispatch_around(void *of)
{
	while (!vx_dispatcher_poll(((struct around *)of)->dispatcher, 1))
		;
	return NULL;
}

static void begin_around(int count, vx_dispatch_function function)
{
	int i;

	pthread_barrier_init(&inside, NULL, (unsigned int)count);
	for (i = 0; i < count; i++) {
		struct around *of = &around[i];

		made(vx_cq_create(ctx, NULL, &of->cq));
		made(vx_pd_create(ctx, NULL, &of->pd));
		made(vx_qp_create(of->pd, &(struct vx_qp_init){ .send_cq = of->cq, .recv_cq = of->cq }, &of->qp));
		connect_to(of->qp, of->qp);
		made(vx_dispatcher_create(of->cq, NULL, &of->dispatcher));
		made(vx_dispatcher_add(of->dispatcher, of->qp, function, of));
		complete_with(of->qp, 0);
	}
}

static void run_around(int count)
{
	pthread_t threads[AROUND];
	int i;

	for (i = 0; i < count; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, dispatch_around, &around[i]), 0);
	for (i = 0; i < count; i++)
		cr_assert_eq(pthread_join(threads[i], NULL), 0);
}

/* The only one that could not close what it was to. */
static int find_refused(int count)
{
	int i, refused = -1, refusals = 0;

	for (i = 0; i < count; i++)
		if (around[i].rc < 0) {
			refused = i;
			refusals++;
		}
	cr_assert_eq(refusals, 1);
	cr_expect_eq(around[refused].rc, -EDEADLK);
	cr_expect_not_null(strstr(around[refused].reason, "returns that calls this"), "%s", around[refused].reason);
	return refused;
}

/* What was not closed is as it was, its function too. */
static void expect_as_before(struct around *of)
{
	complete_with(of->qp, 0);
	while (of->tallied < 2)
		cr_assert_geq(vx_dispatcher_poll(of->dispatcher, 1), 0);
	made(vx_close(of->qp));
}

Test(dispatcher_inside, of_two_that_close_each_others_qp_one_is_refused)
{
	begin_around(2, close_next_one);
	around[0].to_close = around[1].qp;
	around[1].to_close = around[0].qp;
	run_around(2);
	expect_as_before(around[find_refused(2)].to_close == around[0].qp ? &around[0] : &around[1]);
}

Test(dispatcher_inside, of_three_that_close_the_next_ones_pd_one_is_refused)
{
	int i;

	begin_around(3, close_next_one);
	for (i = 0; i < 3; i++)
		around[i].to_close = around[(i + 1) % 3].pd;
	run_around(3);
	expect_as_before(&around[(find_refused(3) + 1) % 3]);
}

static void *close_second(void *nothing)
{
	pthread_barrier_wait(&inside);
	close_its(&around[2]);
	return nothing;
}

static bool is_live(const void *object)
{
	bool is;

	vx_graph_lock();
	is = ((const struct vx_node *)object)->state == VX_NODE_LIVE;
	vx_graph_unlock();
	return is;
}

/* Whoever closes something that goes already would be told so, or find nothing. */
static void close_behind_second(const struct ibv_wc *wc, void *data)
{
	tally(wc, &((struct around *)data)->tallied);
	pthread_barrier_wait(&inside);
	while (is_live(around[1].qp))
		usleep(100);
	close_its(data);
}

/* One waits for a thread that waits for the other. Where that thread is the one that looks last, it is refused as well. */
Test(dispatcher_inside, of_two_that_wait_through_a_third_thread_one_is_refused)
{
	pthread_t thread;

	begin_around(2, close_behind_second);
	pthread_barrier_init(&inside, NULL, 3);
	around[0].to_close = around[1].pd;
	around[1].to_close = around[0].qp;
	around[2].to_close = around[1].qp;
	cr_assert_eq(pthread_create(&thread, NULL, close_second, NULL), 0);
	run_around(2);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	find_refused(2);
	cr_expect(!around[2].rc || around[2].rc == -EDEADLK, "%s", around[2].reason);
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

Test(dispatcher_inside, is_closed_after_a_thread_was_cancelled_in_a_function)
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

static void *kept;

static void try_to_close(const struct ibv_wc *wc, void *data)
{
	tally(wc, data);
	cr_expect_eq(vx_close(kept), -EBUSY);
	expect_reason("it calls functions of the program, and one of them has not returned yet");
	cr_expect_eq(vx_close(ctx), -EBUSY);
}

Test(dispatcher_inside, is_not_closed_by_its_functions)
{
	int tallied = 0, others = 0;

	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = try_to_close, .data = &others }, &dispatcher));
	kept = dispatcher;
	complete_with(qp, 0);
	dispatch_all(1);
	made(vx_dispatcher_add(dispatcher, qp, try_to_close, &tallied));
	complete_with(qp, 0);
	dispatch_all(1);
	cr_expect_eq(tallied + others, 2);
	made(vx_close(dispatcher));
}

static void close_cq_in(struct vx_done *self, const struct ibv_wc *wc)
{
	(void)self, (void)wc;
	cr_expect_eq(vx_close(cq), -EBUSY);
	expect_reason("a function of the program was called to use it, and has not returned yet");
}

Test(dispatcher_inside, of_requests_has_a_cq_that_its_functions_do_not_close)
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

Test(dispatcher_inside, of_requests_has_a_cq_that_its_functions_do_not_give_back)
{
	struct vx_done done = { give_cq_back_in };

	complete_with(qp, vx_done_id(&done));
	while (!vx_cq_dispatch(cq, 1))
		;
	made(vx_close(cq));
}

static void nest(const struct ibv_wc *wc, void *data)
{
	tally(wc, data);
	cr_expect_eq(vx_dispatcher_poll(dispatcher, 1), -EDEADLK);
	expect_reason("vx_dispatcher_poll on ");
	expect_reason("a function that this dispatcher has called calls it");
	vx_dispatcher_tell(wc, dispatcher);
	cr_expect_eq(vx_error()->code, -EDEADLK);
	expect_reason("vx_dispatcher_tell on ");
}

Test(dispatcher_inside, is_not_called_by_its_functions)
{
	int tallied = 0, others = 0;

	made(vx_dispatcher_create(cq, &(struct vx_dispatcher_init){ .other = nest, .data = &others }, &dispatcher));
	complete_with(qp, 0);
	dispatch_all(1);
	made(vx_dispatcher_add(dispatcher, qp, nest, &tallied));
	complete_with(qp, 0);
	complete_with(qp, 0);
	dispatch_all(2);
	cr_expect_eq(others, 1);
	cr_expect_eq(tallied, 2, "%d", tallied);
}

/* The program has no handle of what leads to a function. */
Test(dispatcher_inside, is_named_by_who_gives_its_qp_back)
{
	made(vx_dispatcher_create(cq, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, qp, tally, NULL));
	cr_expect_null(vx_give_back(qp));
	expect_reason("dispatcher #1 depends on it");
}
