/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* From an address to a connected QP: in one call, and why not. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "server_bed.h"

TestSuite(cm_client, .timeout = 60);

static void *run(void *server)
{
	vx_cm_server_run(server, WITHIN);
	return NULL;
}

static int post(struct vx_cm_client *client, void *data)
{
	struct ibv_recv_wr wr = { .wr_id = 7 };

	(void)data;
	return vx_qp_post_recv(vx_cm_client_qp(client), &wr, NULL);
}

Test(cm_client, connects_in_one_call)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, run, server), 0);
	init.prepare = post;
	made(vx_cm_client_connect(&init, &client));
	cr_expect_eq(vx_qp_state(vx_cm_client_qp(client)), IBV_QPS_RTS);
	cr_expect_eq(vx_cm_client_left_ms(client), -1);
	cr_expect_eq(vx_cm_client_step(client), 0);
	vx_cm_server_wake(server);
	pthread_join(thread, NULL);
	made(vx_close(client));
	made(vx_close(server));
}

/* Its end comes to the other channel then; the client is no judge of that. */
Test(cm_client, keeps_an_id_that_was_moved)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_channel *other, *own;
	struct vx_cm_client *client;
	struct vx_cm_id *id, *beside;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, run, server), 0);
	made(vx_cm_client_connect(&init, &client));
	id = vx_cm_client_id(client);
	made(vx_cm_channel_borrow(vx_cm_id_raw(id)->channel, &own));
	made(vx_cm_id_create(own, NULL, &beside));
	cr_expect_eq(vx_cm_client_id(client), id, "not the newest of its channel");
	made(vx_cm_channel_create(NULL, &other));
	made(vx_cm_id_migrate(id, other));
	cr_expect_eq(vx_cm_client_id(client), id);
	cr_expect_not_null(vx_cm_client_qp(client));
	cr_expect_eq(vx_cm_client_step(client), 0);
	made(vx_close(own));
	made(vx_close(client));
	made(vx_close(other));
	vx_cm_server_wake(server);
	pthread_join(thread, NULL);
	made(vx_close(server));
}

static void expect_shown(struct vx_cm_client *client, const char *part)
{
	char text[512];

	vx_snprint(text, sizeof(text), VX_TYPEOF(client), client, VX_COMPACT);
	cr_expect_not_null(strstr(text, part), "%s", text);
}

Test(cm_client, shows_how_far_it_is)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;

	init.retries = 1;
	init.pause_ms = 1;
	made(vx_cm_client_create(&init, &client));
	expect_shown(client, "failed=0 established=false");
	told.answer = -EPERM;
	cr_expect_eq(steps(server, client), -ECONNREFUSED);
	expect_shown(client, "failed=2 established=false");
	made(vx_close(client));
	told.answer = 0;
	client = connected(server);
	expect_shown(client, "failed=0 established=true");
	made(vx_close(server));
	cr_expect_eq(poll(&(struct pollfd){ vx_cm_client_fd(client), POLLIN, 0 }, 1, WITHIN), 1);
	cr_expect_eq(vx_cm_client_step(client), -ENOTCONN);
	cr_expect_not_null(strstr(vx_error_text(), "vx_cm_client_step on "), "%s", vx_error_text());
	expect_shown(client, "established=false");
	made(vx_close(client));
}

static void count_ids(const struct vx_trace_call *call, void *left)
{
	*(int *)left += !strcmp(call->call, "rdma_create_id") - !strcmp(call->call, "rdma_destroy_id");
}

/* That of librdmacm is meant, not the handle alone. The server's goes later, by a step that nobody takes. */
Test(cm_client, closing_it_destroys_its_id_wherever_that_is)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_channel *other;
	struct vx_cm_client *client;
	int left = 0, moved;

	made(vx_cm_channel_create(NULL, &other));
	made(vx_trace_callback(count_ids, &left));
	for (moved = 0; moved < 2; moved++) {
		client = connected(server);
		cr_expect_eq(left, 1, "%d", left);
		if (moved)
			made(vx_cm_id_migrate(vx_cm_client_id(client), other));
		made(vx_close(client));
		cr_expect_eq(left, 0, "%d left of one that was%s moved", left, moved ? "" : " not");
		until_count(server, 0);
		left = 0;
	}
	made(vx_trace_callback(NULL, NULL));
	made(vx_close(other));
	made(vx_close(server));
}

/* A port that nobody has. */
static struct vx_cm_client_init way_to_nobody(void)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	const struct vx_cm_client_init init = way_to(server);

	made(vx_close(server));
	return init;
}

static void expect_failure(const struct vx_cm_client_init *init, int code, const char *part)
{
	struct vx_cm_client *client;

	cr_expect_eq(vx_cm_client_connect(init, &client), code, "%s", vx_error_text());
	cr_expect_eq(vx_error()->code, code);
	cr_expect_not_null(strstr(vx_error_text(), part), "%s", vx_error_text());
}

Test(cm_client, says_that_nobody_listens)
{
	struct vx_cm_client_init init = way_to_nobody();

	expect_failure(&init, -ECONNREFUSED, "asking for a connection: RDMA_CM_EVENT_REJECTED (8) of cm_id");
	init.retries = 1;
	init.pause_ms = 1;
	expect_failure(&init, -ECONNREFUSED, "nobody listens at this port of the peer (8)");
}

/* Which holds a lock of the CQ that ending the QP of the first try takes. */
Test(cm_client, says_that_it_cannot_try_again_within_a_loop_over_its_cq)
{
	struct vx_cq_init init = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_QP_NUM, .checked = true };
	struct vx_cm_qp_init qp = { 0 };
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .qp = &qp }, &told);
	struct vx_cm_client_init way = way_to(server);
	struct vx_cm_client *first, *second;
	struct vx_ctx *ctx;
	struct vx_wc *wc;
	size_t count;

	made(vx_cm_contexts(&ctx, 1, &count));
	made(vx_cq_create(ctx, &init, &qp.send_cq));
	qp.recv_cq = qp.send_cq;
	way.qp = &qp;
	way.retries = 3;
	made(vx_cm_client_create(&way, &first));
	made(steps(server, first));
	made(vx_qp_post_rdma_write(vx_cm_client_qp(first), 7, IBV_SEND_SIGNALED, NULL, 0, 0, 0));
	while (!vx_cq_start_poll(qp.send_cq, &wc))
		;
	told.answer = 1;
	made(vx_cm_client_create(&way, &second));
	cr_expect_eq(steps(server, second), -EDEADLK);
	cr_expect_not_null(strstr(vx_error_text(), "asking for a connection: "), "%s", vx_error_text());
	cr_expect_not_null(strstr(vx_error_text(), "this thread is between vx_cq_start_poll() and vx_wc_end() of "), "%s", vx_error_text());
	vx_wc_end(wc);
	cr_expect_eq(vx_cm_client_step(second), -EDEADLK, "it is over");
	cr_expect_not_null(strstr(vx_error_text(), "it is over: asking for"), "%s", vx_error_text());
	made(vx_close(second));
	made(vx_close(first));
	made(vx_close(server));
	made(vx_close(qp.send_cq));
	made(vx_close(ctx));
}

/* "after 1 try", "after 2 tries" */
static void expect_as_many_as_said(const char *end)
{
	const char *after = strstr(vx_error_text(), ", after ");
	char said[64];
	unsigned long count;

	cr_assert(after && after < end, "%s", vx_error_text());
	count = strtoul(after + strlen(", after "), NULL, 10);
	snprintf(said, sizeof(said), ", after %lu %s; the last: ", count, count == 1 ? "try" : "tries");
	cr_expect_eq(strncmp(after, said, strlen(said)), 0, "%s", vx_error_text());
}

/* Where others have the cores a first try may take all of the time. */
Test(cm_client, says_what_it_was_doing_when_the_time_was_up)
{
	struct vx_cm_client_init init = way_to_nobody();
	const char *tries = NULL;

	init.retries = UINT32_MAX;
	init.pause_ms = 1;
	for (init.timeout_ms = 100; !tries && init.timeout_ms < 60000; init.timeout_ms *= 2) {
		expect_failure(&init, -ETIMEDOUT, "the time is up while ");
		tries = strstr(vx_error_text(), "; the last: ");
	}
	cr_assert_not_null(tries, "%s", vx_error_text());
	expect_as_many_as_said(tries);
}

Test(cm_client, says_which_address_there_is_no_way_to)
{
	expect_failure(&(struct vx_cm_client_init){ .node = "198.51.100.1", .service = "7471" }, -ENODEV, "resolving the address: ");
}

static int refuse(struct vx_cm_client *client, void *data)
{
	cr_expect_not_null(vx_cm_client_qp(client));
	return *(int *)data;
}

Test(cm_client, ends_with_what_prepare_says)
{
	struct vx_cm_client_init init = way_to_nobody();
	int code = -ENOBUFS;

	init.prepare = refuse;
	init.data = &code;
	init.retries = 3;
	expect_failure(&init, -ENOBUFS, "prepare");
	code = 1;
	expect_failure(&init, -ECANCELED, "prepare");
}

Test(cm_client, ends_when_the_program_closes_its_qp_before_the_answer)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;
	int rc;

	made(vx_cm_client_create(&init, &client));
	while (!vx_cm_client_qp(client)) {
		cr_assert_eq(vx_cm_client_step(client), -EAGAIN, "%s", vx_error_text());
		poll(NULL, 0, 1);
	}
	made(vx_close(vx_cm_client_qp(client)));
	rc = steps(server, client);
	cr_expect_eq(rc, -ECANCELED, "%s", vx_error_text());
	made(vx_close(client));
	made(vx_close(server));
}

Test(cm_client, tries_until_somebody_listens)
{
	struct told told = { 0 };
	struct vx_cm_client_init init = way_to_nobody();
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	int i;

	init.retries = 1000;
	init.pause_ms = 1;
	made(vx_cm_client_create(&init, &client));
	for (i = 0; i < 30; i++) {
		cr_assert_eq(vx_cm_client_step(client), -EAGAIN, "%s", vx_error_text());
		poll(NULL, 0, 1);
	}
	server = serve(&(struct vx_cm_server_init){ .service = init.service }, &told);
	made(steps(server, client));
	made(vx_close(client));
	made(vx_close(server));
}

Test(cm_client, is_over_when_the_program_closes_its_id)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client = connected(server);

	made(vx_close(vx_cm_client_id(client)));
	cr_expect_null(vx_cm_client_id(client));
	cr_expect_null(vx_cm_client_qp(client));
	cr_expect_eq(vx_cm_client_step(client), -ENOTCONN);
	made(vx_close(client));
	made(vx_cm_client_create(&init, &client));
	cr_assert_eq(vx_cm_client_step(client), -EAGAIN);
	made(vx_close(vx_cm_client_id(client)));
	cr_expect_eq(vx_cm_client_step(client), -ECANCELED);
	cr_expect_not_null(strstr(vx_error_text(), "its id was closed"), "%s", vx_error_text());
	made(vx_close(client));
	made(vx_close(server));
}

Test(cm_client, hears_that_the_connection_has_ended)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client *client = connected(server);
	int rc;

	made(vx_close(server));
	while ((rc = vx_cm_client_step(client)) == 0)
		poll(NULL, 0, 1);
	cr_expect_eq(rc, -ENOTCONN);
	cr_expect_not_null(vx_cm_client_qp(client), "for what is left on its CQ");
	cr_expect_eq(vx_cm_client_step(client), -ENOTCONN);
	cr_expect_not_null(strstr(vx_error_text(), "it is over: the connection has ended"), "%s", vx_error_text());
	made(vx_close(client));
}

/* The peer goes before it has heard that its answer has arrived: it rejects what to the client is a connection. */
Test(cm_client, is_over_when_it_is_rejected_after_all)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;
	int rc;

	fail("cm_drop#1-:RTU");
	init.retries = 5;
	made(vx_cm_client_create(&init, &client));
	made(steps(server, client));
	made(vx_close(server));
	while ((rc = vx_cm_client_step(client)) == 0)
		poll(NULL, 0, 1);
	cr_expect_eq(rc, -ENOTCONN, "%s", vx_error_text());
	cr_expect_not_null(vx_cm_client_qp(client), "for what is left on its CQ");
	made(vx_close(client));
}

Test(cm_client, refuses_what_makes_no_sense)
{
	static const char long_data[57] = "";
	struct vx_cm_client *client;

	expect_failure(NULL, -EINVAL, "init.node is NULL");
	expect_failure(&(struct vx_cm_client_init){ .node = here() }, -EINVAL, "init.service is NULL");
	expect_failure(&(struct vx_cm_client_init){ .node = here(), .service = "1", .private_data_len = 1 }, -EINVAL, "private_data is NULL");
	expect_failure(&(struct vx_cm_client_init){ .node = here(), .service = "1", .private_data = long_data, .private_data_len = 57 }, -EINVAL,
		       "init.private_data_len is 57, and a request has room for 56 bytes");
	cr_expect_eq(vx_cm_client_create(&(struct vx_cm_client_init){ .node = here(), .service = "1" }, NULL), -EINVAL);
	cr_expect_eq(vx_cm_client_create(&(struct vx_cm_client_init){ .node = "no.such.host.invalid", .service = "1" }, &client), vx_error()->code);
	cr_expect_null(vx_cm_client_id(NULL));
}
