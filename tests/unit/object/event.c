/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Events: whom they are about, and that none keeps an object from being closed. A test that blocks ends by its timeout. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "unit/device.h"

#define MANY 100
#define ROUNDS 50

static struct vx_comp_channel *channel;
static struct vx_cq *cq;
static struct vx_qp *qp;

static struct ibv_qp *new_raw_qp(void)
{
	struct ibv_qp_init_attr init = { .send_cq = vx_cq_raw(cq), .recv_cq = vx_cq_raw(cq), .qp_type = IBV_QPT_RC,
					 .cap = { 1, 1, 1, 1, 0 } };

	return ibv_create_qp(vx_pd_raw(pd), &init);
}

static struct vx_qp *new_qp(void)
{
	struct vx_qp *made_qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &made_qp));
	return made_qp;
}

static void open_with_qp(void)
{
	open_device();
	made(vx_comp_channel_create(ctx, NULL, &channel));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &cq));
	qp = new_qp();
}

static void send_qp_event(const char *name)
{
	send_event(name, vx_qp_raw(qp)->qp_num);
}

static struct vx_async_event take_async(void)
{
	struct vx_async_event event;

	made(vx_ctx_get_async_event(ctx, SOON, &event));
	return event;
}

TestSuite(event, .init = open_with_qp, .fini = close_device, .timeout = 20);

/* ---- asynchronous events ---- */

Test(event, that_does_not_come_in_time)
{
	struct vx_async_event event;

	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, &event), -EAGAIN);
	cr_expect_eq(vx_ctx_get_async_event(ctx, 20, &event), -EAGAIN);
}

Test(event, of_a_qp_tells_its_handle)
{
	struct vx_async_event event;

	send_qp_event("COMM_EST");
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_COMM_EST);
	cr_expect_eq(event.object, qp);
	cr_expect_eq(event.port_num, 0);
	cr_expect_eq(event.raw.element.qp, vx_qp_raw(qp));
	vx_async_event_ack(&event);
	cr_expect_eq(vx_close(qp), 0);
}

Test(event, of_a_cq_and_an_srq)
{
	struct vx_async_event event;
	struct vx_srq *other, *srq;

	made(vx_srq_create(pd, NULL, &other));
	made(vx_srq_create(pd, NULL, &srq));
	send_event("CQ_ERR", 1);
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_CQ_ERR);
	cr_expect_eq(event.object, cq);
	send_event("SRQ_LIMIT_REACHED", 2);
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_SRQ_LIMIT_REACHED);
	cr_expect_eq(event.object, srq);
}

Test(event, of_a_port_tells_which)
{
	struct vx_async_event event;

	send_event("PKEY_CHANGE", 1);
	event = take_async();
	cr_expect_eq(event.type, IBV_EVENT_PKEY_CHANGE);
	cr_expect_eq(event.port_num, 1);
	cr_expect_null(event.object);
	vx_async_event_ack(&event);
}

Test(event, that_nobody_acknowledged_keeps_nothing_from_being_closed)
{
	int i;

	for (i = 0; i < MANY; i++) {
		send_qp_event("COMM_EST");
		take_async();
	}
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
}

Test(event, that_was_acknowledged_twice_or_after_the_end_is_no_harm)
{
	struct vx_async_event first, second;

	send_qp_event("COMM_EST");
	send_qp_event("PATH_MIG");
	first = take_async();
	second = take_async();
	vx_async_event_ack(&first);
	vx_async_event_ack(&first);
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	vx_async_event_ack(&second);
}

Test(event, of_a_released_object_is_acknowledged)
{
	void *raw;

	send_qp_event("COMM_EST");
	take_async();
	raw = vx_give_back(qp);
	cr_assert_not_null(raw, "%s", vx_error_text());
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

Test(event, of_an_object_that_is_not_known_is_the_takers_to_acknowledge)
{
	struct ibv_qp *raw = new_raw_qp();
	struct vx_async_event event;

	send_event("COMM_EST", raw->qp_num);
	event = take_async();
	cr_expect_null(event.object);
	cr_expect_eq(event.raw.element.qp, raw);
	vx_async_event_ack(&event);
	cr_expect_eq(ibv_destroy_qp(raw), 0);
}

Test(event, of_an_object_that_was_adopted_afterwards_keeps_it_from_nothing)
{
	struct ibv_qp *raw = new_raw_qp();
	struct vx_async_event event;
	struct vx_qp *adopted;

	send_event("COMM_EST", raw->qp_num);
	event = take_async();
	cr_expect_null(event.object);
	made(vx_qp_adopt(pd, raw, &adopted));
	cr_expect_eq(vx_close(adopted), 0, "%s", vx_error_text());
	vx_async_event_ack(&event);
}

/* ---- threads ---- */

static atomic_bool stop;

static void *keep_taking(void *arg)
{
	struct vx_async_event event;

	while (!stop)
		if (vx_ctx_get_async_event(ctx, 1, &event) == 0)
			++*(int *)arg;
	return NULL;
}

Test(event, that_others_take_while_objects_are_closed)
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

/* ---- completion events ---- */

static void modify(struct vx_qp *which, struct ibv_qp_attr attr, int mask)
{
	made(vx_qp_modify(which, &attr, mask));
}

/* A QP that is in error completes at once whatever it is to receive. */
static void break_qp(struct vx_qp *which)
{
	modify(which, (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1 },
	       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	modify(which, (struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR }, IBV_QP_STATE);
}

static void complete(void)
{
	struct ibv_recv_wr wr = { 0 }, *bad;
	struct ibv_wc wc;

	made(vx_cq_req_notify(cq, 0));
	cr_assert_eq(ibv_post_recv(vx_qp_raw(qp), &wr, &bad), 0);
	while (ibv_poll_cq(vx_cq_raw(cq), 1, &wc) == 0)
		;
}

Test(event, of_completion_that_does_not_come_in_time)
{
	struct vx_comp_event event;

	cr_expect_eq(vx_comp_channel_get_event(channel, 0, &event), -EAGAIN);
}

Test(event, of_completion_tells_the_cq)
{
	struct vx_comp_event event;
	struct vx_cq *other;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &other));
	break_qp(qp);
	complete();
	made(vx_comp_channel_get_event(channel, SOON, &event));
	cr_expect_eq(event.cq, cq);
	cr_expect_eq(event.raw, vx_cq_raw(cq));
	cr_expect_eq(event.cq_context, NULL);
}

Test(event, of_completion_many_times_over_keeps_nothing_from_being_closed)
{
	struct vx_comp_event event;
	int i;

	break_qp(qp);
	for (i = 0; i < MANY; i++) {
		complete();
		made(vx_comp_channel_get_event(channel, SOON, &event));
	}
	cr_expect_eq(vx_close(channel), 0, "%s", vx_error_text());
	cr_expect_eq(live("cq") + live("comp_channel"), 0);
}

/* A CQ of another library, with the channel of ours and a pointer of its own. */
static struct ibv_cq *new_raw_cq(void *cq_context)
{
	struct ibv_cq *raw = ibv_create_cq(vx_ctx_raw(ctx), 10, cq_context, vx_comp_channel_raw(channel), 0);

	cr_assert_not_null(raw);
	return raw;
}

Test(event, of_completion_of_an_adopted_cq)
{
	struct vx_comp_event event;

	cr_assert_eq(vx_close(cq), 0);
	made(vx_cq_adopt(ctx, new_raw_cq(&event), &cq));
	qp = new_qp();
	break_qp(qp);
	complete();
	made(vx_comp_channel_get_event(channel, SOON, &event));
	cr_expect_eq(event.cq, cq);
	cr_expect_eq(event.cq_context, &event);
	cr_expect_eq(vx_close(cq), 0);
}

/* Completes something on a CQ that libverbsx does not know, nor does it anything of it afterwards. */
static struct ibv_cq *complete_on_a_strangers(void *cq_context)
{
	struct ibv_cq *raw = new_raw_cq(cq_context);

	cr_assert_eq(vx_close(cq), 0);
	made(vx_cq_borrow(ctx, raw, &cq));
	qp = new_qp();
	break_qp(qp);
	complete();
	cr_assert_eq(vx_close(cq), 0, "%s", vx_error_text());
	return raw;
}

Test(event, of_completion_of_a_cq_that_is_not_known_tells_what_its_owner_knows_it_by)
{
	struct vx_comp_event event = { .cq = cq };
	struct ibv_cq *raw = complete_on_a_strangers(&event);

	made(vx_comp_channel_get_event(channel, SOON, &event));
	cr_expect_null(event.cq);
	cr_expect_eq(event.raw, raw);
	cr_expect_eq(event.cq_context, &event);
	cr_expect_eq(vx_comp_channel_get_event(channel, 0, &event), -EAGAIN);
	cr_expect_eq(ibv_destroy_cq(raw), 0, "the event has been acknowledged");
}

Test(event, of_completion_of_a_cq_that_was_adopted_afterwards_keeps_it_from_nothing)
{
	struct vx_comp_event event;
	struct ibv_cq *raw = complete_on_a_strangers(NULL);
	struct vx_cq *adopted;

	made(vx_comp_channel_get_event(channel, SOON, &event));
	made(vx_cq_adopt(ctx, raw, &adopted));
	cr_expect_eq(vx_close(adopted), 0, "%s", vx_error_text());
}

Test(event, of_completion_fits_into_the_structure_that_the_program_has)
{
	struct vx_comp_event event;

	memset(&event, 0x55, sizeof(event));
	break_qp(qp);
	complete();
	made(vx_comp_channel_get_event_sized(channel, SOON, &event, offsetof(struct vx_comp_event, raw)));
	cr_expect_eq(event.cq, cq);
	cr_expect_eq((uintptr_t)event.raw & 0xff, 0x55, "nothing is written behind it");
}

/* ---- slow ones, and threads that end ---- */

#define SLOW_MS 600
#define SHORT_MS 50

static atomic_bool destroying;

static void be_slow(const struct vx_trace_call *call, void *data)
{
	(void)data;
	if (strcmp(call->call, "ibv_dereg_mr"))
		return;
	destroying = true;
	usleep(SLOW_MS * 1000);
}

static void *close_slowly(void *mr)
{
	made(vx_close(mr));
	return NULL;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

Test(event, is_not_waited_for_longer_because_an_object_is_slowly_closed)
{
	struct vx_comp_event event;
	struct vx_mr *mr;
	pthread_t thread;
	int64_t start;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
	made(vx_trace_callback(be_slow, NULL));
	pthread_create(&thread, NULL, close_slowly, mr);
	while (!destroying)
		usleep(100);
	start = now_ms();
	cr_expect_eq(vx_comp_channel_get_event(channel, SHORT_MS, &event), -EAGAIN);
	send_qp_event("COMM_EST");
	take_async();
	cr_expect_lt(now_ms() - start, SLOW_MS - SHORT_MS);
	pthread_join(thread, NULL);
	made(vx_trace_callback(NULL, NULL));
}

static void *wait_for_ever(void *arg)
{
	struct vx_async_event event;

	*(atomic_bool *)arg = true;
	vx_ctx_get_async_event(ctx, -1, &event);
	return arg;
}

Test(event, is_not_lost_with_a_thread_that_was_cancelled_while_it_waited)
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

/* The last failure is not the loop's. */
Test(event, that_is_not_there_leaves_the_last_failure_as_it_was)
{
	struct vx_comp_event completion;
	struct vx_async_event event;
	struct vx_cq *none;
	char before[256];

	cr_expect_lt(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1u << 30 }, &none), 0);
	snprintf(before, sizeof(before), "%s", vx_error_text());
	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, &event), -EAGAIN);
	cr_expect_eq(vx_comp_channel_get_event(channel, 1, &completion), -EAGAIN);
	cr_expect_str_eq(vx_error_text(), before);
}

static void take_while_closing(const struct vx_trace_call *call, void *data)
{
	struct vx_async_event event;

	if (strcmp(call->call, "ibv_detach_mcast"))
		return;
	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, &event), -EAGAIN, "it is not given, but acknowledged");
	*(bool *)data = true;
}

/* The QP cannot go before, as the kernel waits for the acknowledgement; a test that blocks ends by its timeout. */
Test(event, of_an_object_that_is_being_closed_is_acknowledged_at_once)
{
	const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 0xc001 };
	struct vx_mcast *mcast;
	bool taken = false;
	struct vx_qp *ud;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &ud));
	made(vx_mcast_create(ud, &group, &mcast));
	made(vx_trace_callback(take_while_closing, &taken));
	send_event("COMM_EST", vx_qp_raw(ud)->qp_num);
	usleep(10000);
	cr_expect_eq(vx_close(ud), 0, "%s", vx_error_text());
	cr_expect(taken);
	made(vx_trace_callback(NULL, NULL));
}

Test(event, wants_a_place_and_a_handle)
{
	struct vx_comp_event event;

	cr_expect_eq(vx_ctx_get_async_event(ctx, 0, NULL), -EINVAL);
	expect_reason("vx_ctx_get_async_event: Invalid argument: event is NULL");
	cr_expect_eq(vx_comp_channel_get_event(channel, 0, NULL), -EINVAL);
	expect_reason("vx_comp_channel_get_event: Invalid argument: event is NULL");
	cr_expect_eq(vx_comp_channel_get_event(NULL, 0, &event), -EINVAL);
	expect_reason("channel is NULL");
	vx_async_event_ack(NULL);
}

/* A program of another release may have a shorter structure. */
Test(event, fits_into_the_structure_that_the_program_has)
{
	struct vx_async_event event;

	memset(&event, 0x55, sizeof(event));
	send_qp_event("COMM_EST");
	usleep(10000);
	made(vx_ctx_get_async_event_sized(ctx, SOON, &event, offsetof(struct vx_async_event, object)));
	cr_expect_eq(event.type, IBV_EVENT_COMM_EST);
	cr_expect_eq((uintptr_t)event.object & 0xff, 0x55, "nothing is written behind it");
}
