/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Events that one thread waits for while others close objects, slowly, or end. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "event_bed.h"

#define ROUNDS 50

TestSuite(event_threads, .init = open_with_qp, .fini = close_device, .timeout = 20);

static atomic_bool stop;

static void *keep_taking(void *arg)
{
	struct vx_async_event event;

	while (!stop)
		if (vx_ctx_get_async_event(ctx, 1, &event) == 0)
			++*(int *)arg;
	return NULL;
}

Test(event_threads, that_others_take_while_objects_are_closed)
{
	pthread_t threads[2];
	int taken[2] = { 0 }, i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, keep_taking, &taken[i]);
	for (i = 0; i < ROUNDS; i++) {
		send_qp_event("COMM_EST");
		cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
		qp = new_qp();
	}
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	cr_expect_leq(taken[0] + taken[1], ROUNDS);
}

#define SHORT_MS 50

static atomic_bool destroying, goes_on, waited_in_vain;

/* As long as the test has something to do meanwhile. */
static void be_slow(const struct vx_trace_call *call, void *data)
{
	int ms;

	(void)data;
	if (strcmp(call->call, "ibv_dereg_mr"))
		return;
	destroying = true;
	for (ms = 0; !goes_on && ms < SOON / 10; ms++)
		usleep(1000);
	waited_in_vain = !goes_on;
}

static void *close_slowly(void *mr)
{
	made(vx_close(mr));
	return NULL;
}

Test(event_threads, is_not_waited_for_longer_because_an_object_is_slowly_closed)
{
	struct vx_comp_event event;
	struct vx_mr *mr;
	pthread_t thread;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
	made(vx_trace_callback(be_slow, NULL));
	pthread_create(&thread, NULL, close_slowly, mr);
	while (!destroying)
		usleep(100);
	cr_expect_eq(vx_comp_channel_get_event(channel, SHORT_MS, &event), -EAGAIN);
	send_qp_event("COMM_EST");
	take_async();
	goes_on = true;
	pthread_join(thread, NULL);
	cr_expect_not(waited_in_vain, "the events came after the object was gone");
	made(vx_trace_callback(NULL, NULL));
}

static void *wait_for_ever(void *arg)
{
	struct vx_async_event event;

	*(atomic_bool *)arg = true;
	vx_ctx_get_async_event(ctx, -1, &event);
	return arg;
}

Test(event_threads, is_not_lost_with_a_thread_that_was_cancelled_while_it_waited)
{
	atomic_bool waits = false;
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, wait_for_ever, &waits);
	while (!waits)
		usleep(100);
	usleep(10000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	cr_expect_eq(result, PTHREAD_CANCELED);
	send_qp_event("COMM_EST");
	cr_expect_eq(take_async().object, qp);
	made(vx_close(qp));
}
