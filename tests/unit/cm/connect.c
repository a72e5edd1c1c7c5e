/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by ids: what each step gives, and what closing takes along. */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <verbsx/cm_post.h>

#include "pair.h"

TestSuite(cm_connect, .init = open_device, .fini = close_device);

static char sent[64] = "through librdmacm", got[64];

Test(cm_connect, what_is_sent_arrives)
{
	struct ibv_wc wc;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_post_recv(pair.passive, got, got, sizeof(got), pair_region(pair.passive, got, sizeof(got))));
	made(vx_cm_id_post_send(pair.active, sent, sent, sizeof(sent), pair_region(pair.active, sent, sizeof(sent)), IBV_SEND_SIGNALED));
	cr_expect_eq(vx_cm_id_get_send_comp(pair.active, &wc), 1, "%s", vx_error_text());
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
	cr_expect_eq(vx_cm_id_get_recv_comp(pair.passive, &wc), 1, "%s", vx_error_text());
	cr_expect_eq(wc.wr_id, (uintptr_t)got);
	cr_expect_str_eq(got, sent);
	made(vx_close(pair.channel));
}

Test(cm_connect, who_sends_before_the_connection_is_there_is_told_so)
{
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	cr_expect_eq(vx_cm_id_post_send(pair.active, sent, sent, sizeof(sent), pair_region(pair.active, sent, sizeof(sent)), IBV_SEND_SIGNALED), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "the QP cannot send yet"), "%s", vx_error_text());
	made(vx_close(pair.channel));
}

Test(cm_connect, an_address_that_no_device_leads_to_is_said_to_be_one)
{
	const struct vx_cm_event event = { .type = RDMA_CM_EVENT_ADDR_ERROR, .status = -ENODEV };
	char text[1024], expected[64];

	snprintf(expected, sizeof(expected), " %s (", own_address());
	vx_cm_event_text(text, sizeof(text), &event);
	cr_expect_not_null(strstr(text, "RDMA_CM_EVENT_ADDR_ERROR (1): -ENODEV (-19), no RDMA device of this host leads to the address; there are"), "%s", text);
	cr_assert_not_null(strstr(text, expected), "%s", text);
	cr_expect_null(strstr(strstr(text, expected) + 1, expected), "once, however many GIDs it is: %s", text);
}

static void expect_text(enum rdma_cm_event_type type, int status, const char *expected)
{
	const struct vx_cm_event event = { .type = type, .status = status };
	char text[256];

	vx_cm_event_text(text, sizeof(text), &event);
	cr_expect_not_null(strstr(text, expected), "%s", text);
}

Test(cm_connect, an_address_that_is_not_resolved_comes_with_advice)
{
	expect_text(RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT, "nobody answers for the address on its network: does it answer ping(8)?");
	expect_text(RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH, "no route of this host leads to the address");
}

Test(cm_connect, a_failure_that_is_told_by_an_errno_comes_with_words)
{
	expect_text(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, "-ETIMEDOUT (-110), the peer does not answer");
	expect_text(RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT, "the subnet administrator does not answer");
	expect_text(RDMA_CM_EVENT_ROUTE_ERROR, -EINVAL, "the subnet administrator has no path to the peer");
	expect_text(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, "nobody listens at the peer's port, or its program said no");
	expect_text(RDMA_CM_EVENT_REJECTED, -ECONNRESET, "the peer has reset the connection");
}

Test(cm_connect, closing_an_id_disconnects_it)
{
	struct vx_cm_event event;
	struct pair pair;

	pair_connect(&pair);
	made(vx_close(pair.active));
	event = next_event(pair.channel, RDMA_CM_EVENT_DISCONNECTED);
	cr_expect_eq(event.id, pair.passive);
	made(vx_close(pair.channel));
}

Test(cm_connect, events_that_nobody_acknowledged_keep_no_id_open)
{
	struct pair pair;

	pair_connect(&pair); /* acknowledges none of five */
	made(vx_close(pair.listener));
	made(vx_close(pair.passive));
	made(vx_close(pair.active));
	made(vx_close(pair.channel));
}

struct meanwhile {
	struct vx_cm_channel *channel;
	struct vx_cm_event event;
	int code;
};

/* Its id is just being closed. */
static void get_meanwhile(const struct vx_trace_call *call, void *data)
{
	struct meanwhile *meanwhile = data;

	if (!strcmp(call->call, "rdma_destroy_qp"))
		meanwhile->code = vx_cm_channel_get_event(meanwhile->channel, 0, &meanwhile->event);
}

/* Nobody is to have the event of an id that is being closed. */
Test(cm_connect, an_event_that_is_nobodys_leaves_the_one_that_the_program_has)
{
	struct meanwhile meanwhile = { .code = 1 };
	struct vx_cm_event before;
	struct vx_cm_id *other;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_cm_id_create(pair.channel, NULL, &other));
	made(vx_cm_id_resolve_addr(other, NULL, address_of(pair.listener), WITHIN));
	before = meanwhile.event = next_event(pair.channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	cr_assert_eq(poll(&(struct pollfd){ .fd = vx_cm_channel_raw(pair.channel)->fd, .events = POLLIN }, 1, WITHIN), 1);
	meanwhile.channel = pair.channel;
	made(vx_trace_callback(get_meanwhile, &meanwhile));
	made(vx_close(pair.active));
	made(vx_trace_callback(NULL, NULL));
	cr_expect_eq(meanwhile.code, -EAGAIN);
	cr_expect_eq(meanwhile.event.number, before.number);
	cr_expect_eq(meanwhile.event.raw, before.raw);
	cr_expect_eq(meanwhile.event.id, other);
	made(vx_close(pair.channel));
}

Test(cm_connect, a_request_that_nobody_fetched_goes_with_the_listener)
{
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	next_event(pair.channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_cm_id_connect(pair.active, NULL));
	made(vx_close(pair.channel));
}

/* The kernel rejects what it cannot accept: the peer would be told no, and the request be gone. */
Test(cm_connect, an_answer_that_is_too_long_costs_no_request)
{
	const char much[197] = "";
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);
	struct vx_cm_event event;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	next_event(pair.channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_cm_id_connect(pair.active, NULL));
	event = next_event(pair.channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	made(vx_cm_qp_create(event.id, NULL, &pair.passive_qp));
	param.private_data = much;
	param.private_data_len = sizeof(much);
	cr_expect_eq(vx_cm_id_accept(event.id, &param), -EINVAL);
	param.private_data_len = sizeof(much) - 1;
	made(vx_cm_id_accept(event.id, &param));
	next_event(pair.channel, RDMA_CM_EVENT_ESTABLISHED);
	next_event(pair.channel, RDMA_CM_EVENT_ESTABLISHED);
	made(vx_close(pair.channel));
}

Test(cm_connect, the_peer_is_told_why_it_was_rejected)
{
	struct vx_cm_event event;
	struct pair pair;
	char text[256];

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	next_event(pair.channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_cm_id_connect(pair.active, NULL));
	event = next_event(pair.channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	made(vx_cm_id_reject(event.id, "no room", 8));
	event = next_event(pair.channel, RDMA_CM_EVENT_REJECTED);
	cr_expect_eq(event.status, -ECONNREFUSED);
	cr_expect_eq(event.reject, 28);
	cr_expect_eq(event.param, VX_CM_PARAM_CONN);
	cr_expect_str_eq(event.conn->private_data, "no room");
	cr_expect_null(event.ud);
	vx_cm_event_text(text, sizeof(text), &event);
	cr_expect_str_eq(text, "RDMA_CM_EVENT_REJECTED (8) of cm_id #2: the peer's program said no (28)");
	made(vx_close(pair.channel));
}

Test(cm_connect, nobody_listens)
{
	struct vx_cm_event event;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	next_event(pair.channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_close(pair.listener));
	made(vx_cm_id_connect(pair.active, NULL));
	event = next_event(pair.channel, RDMA_CM_EVENT_REJECTED);
	cr_expect_eq(event.reject, 8);
	made(vx_close(pair.channel));
}

Test(cm_connect, more_reads_than_the_peer_offered_are_refused)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);
	struct vx_cm_event event;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_resolve_route(pair.active, WITHIN));
	next_event(pair.channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	param.responder_resources = 2;
	made(vx_cm_id_connect(pair.active, &param));
	event = next_event(pair.channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	made(vx_cm_qp_create(event.id, NULL, &pair.passive_qp));
	cr_expect_eq(event.conn->initiator_depth, 2);
	param.initiator_depth = 3;
	cr_expect_eq(vx_cm_id_accept(event.id, &param), -EINVAL);
	expect_reason("more than the peer has offered");
	param.initiator_depth = 2;
	made(vx_cm_id_accept(event.id, &param));
	made(vx_close(pair.channel));
}

/* ---- roots ---- */

Test(cm_connect, an_id_moves_to_another_channel_with_its_events)
{
	struct vx_cm_channel *other;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_channel_create(NULL, &other));
	made(vx_cm_id_migrate(pair.passive, other));
	made(vx_close(pair.active));
	cr_expect_eq(next_event(other, RDMA_CM_EVENT_DISCONNECTED).id, pair.passive);
	made(vx_close(pair.channel));
	cr_expect_eq(vx_cm_id_raw(pair.passive)->channel, vx_cm_channel_raw(other), "it did not go with the first");
	made(vx_close(other));
}

Test(cm_connect, a_synchronous_id_becomes_one_of_a_channel)
{
	struct vx_cm_channel *channel;
	struct vx_cm_id *id;

	made(vx_cm_sync_id_create(NULL, &id));
	made(vx_cm_channel_create(NULL, &channel));
	made(vx_cm_id_migrate(id, channel));
	made(vx_close(channel));
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *accept_next(void *listener)
{
	struct vx_cm_id *id;
	struct vx_qp *qp;

	made(vx_cm_request_create(listener, NULL, &id));
	made(vx_cm_qp_create(id, NULL, &qp));
	made(vx_cm_id_accept(id, NULL));
	return id;
}

/* Its peer, in the same thread, cannot answer meanwhile: librdmacm would wait for that until the kernel has asked 15 times. */
Test(cm_connect, a_synchronous_id_is_closed_at_once)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	struct vx_cm_id *listener, *active;
	struct vx_qp *qp;
	pthread_t thread;
	void *passive;
	int64_t start;

	made(vx_cm_sync_id_create(NULL, &listener));
	made(vx_cm_id_bind_addr(listener, (struct sockaddr *)&any));
	made(vx_cm_id_listen(listener, 0));
	cr_assert_eq(pthread_create(&thread, NULL, accept_next, listener), 0);
	made(vx_cm_sync_id_create(NULL, &active));
	made(vx_cm_id_resolve_addr(active, NULL, address_of(listener), WITHIN));
	made(vx_cm_id_resolve_route(active, WITHIN));
	made(vx_cm_qp_create(active, NULL, &qp));
	made(vx_cm_id_connect(active, NULL));
	pthread_join(thread, &passive);
	start = now_ms();
	made(vx_close(passive));
	cr_expect_lt(now_ms() - start, 1500, "it took %d ms", (int)(now_ms() - start));
	made(vx_close(active));
	made(vx_close(listener));
}

Test(cm_connect, contexts_of_librdmacm_are_handles)
{
	struct vx_ctx *contexts[4];
	size_t count = 0;

	made(vx_cm_contexts(contexts, 4, &count));
	cr_assert_eq(count, 1);
	made(vx_close(contexts[0]));
	made(vx_cm_contexts(NULL, 0, &count));
	cr_expect_eq(count, 1);
}

static void *lend_and_be_cancelled(void *passed)
{
	static struct vx_ctx *lent;
	size_t count;

	pthread_cancel(pthread_self());
	made(vx_cm_contexts(&lent, 1, &count));
	*(struct vx_ctx **)passed = lent;
	pthread_testcancel();
	return NULL;
}

/* Else librdmacm's lock would be left held. */
Test(cm_connect, contexts_are_lent_to_a_thread_that_is_cancelled)
{
	struct vx_ctx *lent = NULL;
	pthread_t thread;
	void *left;

	cr_assert_eq(pthread_create(&thread, NULL, lend_and_be_cancelled, &lent), 0);
	pthread_join(thread, &left);
	cr_assert_not_null(lent);
	cr_expect_eq(left, PTHREAD_CANCELED, "later");
	made(vx_close(lent));
}

/* On the PD of librdmacm, as the only id of the device or not. */
static void *come_and_go(void *address)
{
	struct vx_cm_channel *channel;
	struct vx_cm_id *id;
	struct vx_qp *qp;
	static char buf[64];
	int i;

	for (i = 0; i < 200; i++) {
		made(vx_cm_channel_create(NULL, &channel));
		made(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = RDMA_PS_UDP }, &id));
		made(vx_cm_id_bind_addr(id, address));
		pair_region(id, buf, sizeof(buf));
		made(vx_cm_qp_create(id, NULL, &qp));
		made(vx_close(channel));
	}
	return NULL;
}

Test(cm_connect, ids_of_several_threads_come_and_go)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	pthread_t threads[4];
	size_t i;

	cr_assert_eq(inet_pton(AF_INET, own_address(), &address.sin_addr), 1);
	for (i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, come_and_go, &address), 0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}
