/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a server tells of its connections, and how it ends. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "server_bed.h"

TestSuite(cm_server, .timeout = 60);

/* So that as many steps have been taken as it needs to hear of what the last one did. */
static void until_established(struct vx_cm_server *server, const struct told *told, int count)
{
	while (told->established < count)
		cr_assert_eq(vx_cm_server_run(server, 1), -EAGAIN);
}

Test(cm_server, tells_of_a_connection_from_its_beginning_to_its_end)
{
	struct told told = { .data = "welcome" };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;

	init.private_data = "let me in";
	init.private_data_len = sizeof("let me in");
	made(vx_cm_client_create(&init, &client));
	cr_expect_null(vx_cm_client_qp(client));
	cr_expect_null(vx_cm_client_answer(client));
	made(steps(server, client));
	until_established(server, &told, 1);
	cr_expect_str_eq(told.offer, "let me in");
	cr_expect_str_eq(vx_cm_client_answer(client)->private_data, "welcome");
	cr_expect_eq(vx_qp_state(vx_cm_client_qp(client)), IBV_QPS_RTS);
	cr_expect_eq(vx_qp_state(told.last->qp), IBV_QPS_RTS);
	cr_expect_eq(vx_cm_server_count(server), 1);
	made(vx_close(client));
	until_count(server, 0);
	cr_expect_eq(told.asked + told.established + told.disconnected, 3);
	cr_expect_eq(told.status, 0);
	made(vx_close(server));
}

Test(cm_server, accepts_as_deep_as_both_can)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client *client = connected(server);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr ours, theirs;

	until_established(server, &told, 1);
	made(vx_qp_query(vx_cm_client_qp(client), &ours, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC, &init));
	made(vx_qp_query(told.last->qp, &theirs, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC, &init));
	cr_expect_gt(ours.max_rd_atomic, 0);
	cr_expect_eq(ours.max_rd_atomic, theirs.max_dest_rd_atomic);
	cr_expect_eq(theirs.max_rd_atomic, ours.max_dest_rd_atomic);
	made(vx_close(client));
	made(vx_close(server));
}

Test(cm_server, hears_when_it_disconnects_somebody)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client *client = connected(server);
	int rc;

	until_established(server, &told, 1);
	made(vx_cm_id_disconnect(told.last->id));
	while ((rc = vx_cm_client_step(client)) == 0)
		poll(NULL, 0, 1);
	cr_expect_eq(rc, -ENOTCONN);
	made(vx_close(client));
	until_count(server, 0);
	cr_expect_eq(told.status, 0);
	made(vx_close(server));
}

Test(cm_server, says_no_and_why)
{
	struct told told = { .answer = 1, .data = "no room" };
	struct vx_cm_server *server = serve(NULL, &told);
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;

	made(vx_cm_client_create(&init, &client));
	cr_expect_eq(steps(server, client), -ECONNREFUSED);
	cr_expect_not_null(strstr(vx_error_text(), "asking for a connection: RDMA_CM_EVENT_REJECTED (8)"), "%s", vx_error_text());
	cr_expect_not_null(strstr(vx_error_text(), "the peer's program said no (28)"), "%s", vx_error_text());
	cr_expect_str_eq(vx_cm_client_answer(client)->private_data, "no room");
	cr_expect_eq(vx_cm_client_step(client), -ECONNREFUSED, "and again");
	cr_expect_eq(told.disconnected, 0);
	made(vx_close(client));
	made(vx_close(server));
}

Test(cm_server, knows_nothing_behind_its_last_field)
{
	struct vx_cm_server *server;

	cr_expect_eq(vx_cm_server_create(&(struct vx_cm_server_init){ .reserved_ = 1 }, &server), -E2BIG);
	cr_expect_not_null(strstr(vx_error_text(), "behind waiting_ms"), "%s", vx_error_text());
}

Test(cm_server, drains)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *clients[5], *late;
	size_t i;
	int rc;

	for (i = 0; i < 5; i++)
		clients[i] = connected(server);
	until_established(server, &told, 5);
	made(vx_cm_client_create(&init, &late));
	cr_expect_eq(vx_cm_server_stop(server, 0), -EAGAIN);
	cr_expect_eq(vx_cm_server_port(server), 0);
	cr_expect_eq(steps(server, late), -ECONNREFUSED);
	for (i = 0; i < 5; i++) {
		while ((rc = vx_cm_client_step(clients[i])) == 0)
			vx_cm_server_run(server, 1);
		cr_expect_eq(rc, -ENOTCONN, "%s", vx_error_text());
	}
	made(vx_cm_server_stop(server, WITHIN));
	cr_expect_eq(told.disconnected, 5);
	cr_expect_eq(told.status, 0);
	for (i = 0; i < 5; i++)
		made(vx_close(clients[i]));
	made(vx_close(late));
	made(vx_close(server));
	cr_expect_eq(told.disconnected, 5);
}

/* The last message of a handshake is lost: there is no connection that could be ended. */
Test(cm_server, does_not_wait_for_who_is_not_established)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client *client;

	fail("cm_drop#1-:RTU");
	client = connected(server);
	made(vx_cm_server_stop(server, 0));
	cr_expect_eq(told.disconnected, 1);
	cr_expect_eq(told.status, -ECANCELED);
	made(vx_close(client));
	made(vx_close(server));
}

Test(cm_server, closed_at_once_tells_of_each_end)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client *clients[3];
	size_t i;

	for (i = 0; i < 3; i++)
		clients[i] = connected(server);
	made(vx_close(server));
	cr_expect_eq(told.disconnected, 3);
	cr_expect_eq(told.status, -ECANCELED);
	for (i = 0; i < 3; i++)
		made(vx_close(clients[i]));
}

Test(cm_server, goes_on_when_the_program_closes_a_qp)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client *client = connected(server), *other;

	until_established(server, &told, 1);
	made(vx_close(told.last->qp));
	cr_expect_eq(told.disconnected, 1);
	cr_expect_eq(told.status, -ECANCELED);
	cr_expect_eq(vx_cm_server_count(server), 0);
	other = connected(server);
	until_established(server, &told, 2);
	made(vx_close(told.last->id));
	cr_expect_eq(told.disconnected, 2);
	made(vx_close(client));
	made(vx_close(other));
	made(vx_close(server));
}

/* All of them share what they were told of; closing that takes the server along. */
Test(cm_server, goes_with_the_pd_of_its_qps)
{
	struct told told = { 0 };
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	size_t count;

	made(vx_cm_contexts(&ctx, 1, &count));
	made(vx_pd_create(ctx, NULL, &pd));
	made(vx_cq_create(ctx, NULL, &cq));
	server = serve(&(struct vx_cm_server_init){ .qp = &(struct vx_cm_qp_init){ .pd = pd, .send_cq = cq, .recv_cq = cq } }, &told);
	client = connected(server);
	until_established(server, &told, 1);
	cr_expect_eq(vx_qp_raw(told.last->qp)->send_cq, vx_cq_raw(cq));
	made(vx_close(pd));
	cr_expect_eq(told.disconnected, 1);
	made(vx_close(client));
	made(vx_close(cq));
	made(vx_close(ctx));
}

/* Which holds a lock of the CQ that ending the connection's QP takes. */
Test(cm_server, closes_a_connection_when_the_loop_over_its_cq_is_left)
{
	struct vx_cq_init init = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_QP_NUM, .checked = true };
	struct told told = { 0 };
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	struct vx_ctx *ctx;
	struct vx_cq *cq;
	struct vx_wc *wc;
	size_t count;
	int rc;

	made(vx_cm_contexts(&ctx, 1, &count));
	made(vx_cq_create(ctx, &init, &cq));
	server = serve(&(struct vx_cm_server_init){ .qp = &(struct vx_cm_qp_init){ .send_cq = cq, .recv_cq = cq } }, &told);
	client = connected(server);
	until_established(server, &told, 1);
	made(vx_qp_post_rdma_write(told.last->qp, 7, IBV_SEND_SIGNALED, NULL, 0, 0, 0));
	while (!vx_cq_start_poll(cq, &wc))
		;
	made(vx_close(client));
	while ((rc = vx_cm_server_run(server, 1)) == -EAGAIN)
		;
	cr_expect_eq(rc, -EDEADLK, "%s", vx_error_text());
	cr_expect_eq(vx_cm_server_step(server, 1), -EDEADLK);
	cr_expect_eq(told.disconnected, 0);
	vx_wc_end(wc);
	until_count(server, 0);
	cr_expect_eq(told.disconnected, 1);
	made(vx_close(server));
	made(vx_close(cq));
	made(vx_close(ctx));
}

static int stop_and_look(struct vx_cm_connection *connection, void *data)
{
	made(vx_cm_server_stop(connection->server, 0));
	cr_expect_str_eq(connection->offer->private_data, "let me in");
	++*(int *)data;
	return 0;
}

/* With the listener go the events of those that ask. */
Test(cm_server, can_be_stopped_by_a_request_which_keeps_what_it_is_asked_for)
{
	struct vx_cm_server_init init = { .request = stop_and_look };
	struct vx_cm_client_init way;
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	int asked = 0;

	init.node = here();
	init.data = &asked;
	made(vx_cm_server_create(&init, &server));
	way = way_to(server);
	way.private_data = "let me in";
	way.private_data_len = sizeof("let me in");
	made(vx_cm_client_create(&way, &client));
	cr_expect_eq(steps(server, client), -ECONNREFUSED);
	cr_expect_eq(asked, 1);
	made(vx_close(client));
	made(vx_close(server));
}

Test(cm_server, prints_where_it_listens_and_how_many_it_has)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client *client = connected(server);
	char text[512], wanted[64];

	until_established(server, &told, 1);
	snprintf(wanted, sizeof(wanted), "port=%u count=1", vx_cm_server_port(server));
	vx_snprint(text, sizeof(text), VX_TYPEOF(server), server, VX_COMPACT);
	cr_expect_not_null(strstr(text, wanted), "%s", text);
	made(vx_cm_server_stop(server, 0) == -EAGAIN ? 0 : -1);
	vx_snprint(text, sizeof(text), VX_TYPEOF(server), server, VX_COMPACT);
	cr_expect_not_null(strstr(text, "port=0 count=1"), "%s", text);
	made(vx_close(client));
	made(vx_close(server));
}

static void *wake(void *server)
{
	poll(NULL, 0, 5);
	vx_cm_server_wake(server);
	return NULL;
}

Test(cm_server, runs_until_it_is_woken)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	pthread_t thread;

	vx_cm_server_wake(server);
	made(vx_cm_server_run(server, WITHIN));
	cr_expect_eq(vx_cm_server_run(server, 1), -EAGAIN);
	cr_assert_eq(pthread_create(&thread, NULL, wake, server), 0);
	made(vx_cm_server_run(server, -1));
	pthread_join(thread, NULL);
	made(vx_close(server));
}

#define refused(part, ...) \
	do { \
		cr_expect_eq(vx_cm_server_create(&(struct vx_cm_server_init){ __VA_ARGS__ }, &server), vx_error()->code); \
		cr_expect_not_null(strstr(vx_error_text(), part), "%s", vx_error_text()); \
	} while (0)

Test(cm_server, refuses_what_makes_no_sense)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told), *other = server;
	char *port = strdup(way_to(server).service);
	struct vx_cm_qp_init qp = { 0 };
	struct vx_ctx *own;

	made(vx_ctx_open_index(0, &own));
	made(vx_pd_create(own, NULL, &qp.pd));
	vx_error_clear();
	refused("it is of another context than ids here have: make it on one that vx_cm_contexts()", .qp = &qp);
	refused("it is of another context than ids here have: make it on one that vx_cm_contexts()", .node = here(), .qp = &qp);
	made(vx_close(own));
	refused("init.waiting = 3, and without init.most nobody has to wait", .waiting = 3);
	refused("init.backlog = -1", .backlog = -1);
	refused("service is no port, which are", .service = "99999");
	refused("service is no port, which are", .service = "-1");
	refused("comp_mask has 0x4", .comp_mask = 4);
	refused("the port is in use", .node = here(), .service = port);
	cr_expect_eq(vx_cm_server_create(NULL, NULL), -EINVAL);
	cr_expect_eq(vx_cm_server_step(other, 0), -EINVAL);
	cr_expect_eq(vx_cm_server_step(NULL, 1), -EINVAL);
	free(port);
	made(vx_close(other));
}
