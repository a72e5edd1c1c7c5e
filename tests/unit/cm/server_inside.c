/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What functions of the program that a server or a client calls cannot close. */

#include <errno.h>
#include <unistd.h>

#include "server_bed.h"

TestSuite(cm_inside, .timeout = 60);

/* Where it is closed from, and what that was answered. */
struct inside {
	bool closes_id, closes_qp;
	int refused, code, ended;
	bool is_told;			/* while it is, another function is not called */
	struct vx_cm_client *client;
	char why[512];
};

static void close_there(struct inside *inside, void *object)
{
	inside->code = vx_close(object);
	inside->refused += inside->code < 0;
	snprintf(inside->why, sizeof(inside->why), "%s", inside->code < 0 ? vx_error_text() : "");
}

static int from_request(struct vx_cm_connection *connection, void *data)
{
	struct inside *inside = data;

	close_there(inside, inside->closes_id ? (void *)connection->id : connection->server);
	return 0;
}

static void *chosen(const struct inside *inside, const struct vx_cm_connection *connection)
{
	return inside->closes_qp ? (void *)connection->qp : inside->closes_id ? (void *)connection->id : connection->server;
}

static void from_established(struct vx_cm_connection *connection, void *data)
{
	struct inside *inside = data;

	inside->is_told = true;
	close_there(inside, chosen(inside, connection));
	inside->is_told = false;
}

static void from_disconnected(struct vx_cm_connection *connection, int status, void *data)
{
	(void)status;
	close_there(data, connection->server);
}

static void count_end(struct vx_cm_connection *connection, int status, void *data)
{
	struct inside *inside = data;

	(void)connection;
	cr_expect_eq(status, 0);
	cr_expect_not(inside->is_told);
	inside->ended++;
}

/* One connection, from its beginning to its end. */
static void connect_and_end(struct vx_cm_server_init init)
{
	struct vx_cm_server *server;
	struct vx_cm_client *client;

	init.node = here();
	made(vx_cm_server_create(&init, &server));
	client = connected(server);
	cr_expect_eq(vx_cm_server_run(server, 20), -EAGAIN);
	made(vx_close(client));
	until_count(server, 0);
	made(vx_close(server));
}

Test(cm_inside, a_server_is_not_closed_by_its_request)
{
	struct inside inside = { 0 };

	connect_and_end((struct vx_cm_server_init){ .request = from_request, .data = &inside });
	cr_expect_eq(inside.refused, 1);
	cr_expect_eq(inside.code, -EBUSY);
	cr_expect_not_null(strstr(inside.why, "it calls functions of the program, and one of them has not returned yet, or another thread runs it, "
					      "which vx_cm_server_wake() ends"), "%s", inside.why);
}

Test(cm_inside, a_server_is_not_closed_by_its_established)
{
	struct inside inside = { 0 };

	connect_and_end((struct vx_cm_server_init){ .established = from_established, .data = &inside });
	cr_expect_eq(inside.refused, 1);
	cr_expect_eq(inside.code, -EBUSY, "%s", inside.why);
}

Test(cm_inside, a_server_is_not_closed_by_its_disconnected)
{
	struct inside inside = { 0 };

	connect_and_end((struct vx_cm_server_init){ .disconnected = from_disconnected, .data = &inside });
	cr_expect_eq(inside.refused, 1);
	cr_expect_eq(inside.code, -EBUSY, "%s", inside.why);
}

Test(cm_inside, a_connection_is_not_closed_by_its_established)
{
	struct inside inside = { .closes_id = true };

	connect_and_end((struct vx_cm_server_init){ .established = from_established, .disconnected = count_end, .data = &inside });
	cr_expect_eq(inside.code, -EBUSY, "%s", inside.why);
	cr_expect_eq(inside.ended, 1);
	inside = (struct inside){ .closes_qp = true };
	connect_and_end((struct vx_cm_server_init){ .established = from_established, .disconnected = count_end, .data = &inside });
	cr_expect_eq(inside.code, -EBUSY, "%s", inside.why);
	cr_expect_eq(inside.ended, 1);
}

/* Its client hears of that and says so, and the step hears of its end. */
static void step_until_it_has_gone(struct vx_cm_connection *connection, void *data)
{
	struct inside *inside = data;

	inside->is_told = true;
	made(vx_cm_id_disconnect(connection->id));
	while (!inside->code) {
		vx_cm_client_step(inside->client);
		inside->code = vx_cm_server_step(connection->server, 1);
	}
	inside->is_told = false;
}

Test(cm_inside, a_connection_that_ends_in_its_established_is_ended_after_it)
{
	struct inside inside = { 0 };
	struct vx_cm_server_init init = { .node = here(), .established = step_until_it_has_gone, .disconnected = count_end, .data = &inside };
	struct vx_cm_server *server;

	made(vx_cm_server_create(&init, &server));
	inside.client = connected(server);
	until_count(server, 0);
	cr_expect_eq(inside.code, 1, "%s", vx_error_text());
	cr_expect_eq(inside.ended, 1);
	made(vx_close(inside.client));
	made(vx_close(server));
}

Test(cm_inside, what_is_asked_for_is_called_a_connection)
{
	struct inside inside = { .closes_id = true };

	connect_and_end((struct vx_cm_server_init){ .request = from_request, .data = &inside });
	cr_expect_eq(inside.code, -EBUSY);
	cr_expect_not_null(strstr(inside.why, "the connection is being made"), "%s", inside.why);
}

static int close_client(struct vx_cm_client *client, void *data)
{
	close_there(data, client);
	return 0;
}

Test(cm_inside, a_client_is_not_closed_by_its_prepare)
{
	struct inside inside = { 0 };
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;

	init.prepare = close_client;
	init.data = &inside;
	made(vx_cm_client_create(&init, &client));
	made(steps(server, client));
	cr_expect_eq(inside.code, -EBUSY, "%s", inside.why);
	made(vx_close(client));
	made(vx_close(server));
}

/* What a client has for the program to close: its QP, or its id. */
struct closing {
	struct inside inside;
	bool closes_id;
};

static int close_of_client(struct vx_cm_client *client, void *data)
{
	struct closing *closing = data;

	close_there(&closing->inside, closing->closes_id ? (void *)vx_cm_client_id(client) : vx_cm_client_qp(client));
	return 0;
}

Test(cm_inside, what_a_client_has_is_not_closed_by_its_prepare)
{
	struct closing closing = { .closes_id = false };
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;
	int i;

	init.prepare = close_of_client;
	init.data = &closing;
	for (i = 0; i < 2; i++) {
		closing = (struct closing){ .closes_id = i == 1 };
		made(vx_cm_client_create(&init, &client));
		made(steps(server, client));
		cr_expect_eq(closing.inside.code, -EBUSY, "%s", closing.inside.why);
		made(vx_close(client));
	}
	made(vx_close(server));
}

static int steps_on(struct vx_cm_connection *connection, void *data)
{
	((struct told *)data)->asked++;
	cr_expect_geq(vx_cm_server_step(connection->server, 64), 0, "%s", vx_error_text());
	return 0;
}

/* The one that it is asked about has a place already. */
Test(cm_inside, a_step_within_request_takes_no_more_than_there_may_be)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .most = 1, .waiting = 1, .request = steps_on }, &told);
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *clients[2];
	int i;

	made(vx_cm_client_create(&init, &clients[0]));
	made(vx_cm_client_create(&init, &clients[1]));
	for (i = 0; i < 20; i++) {
		cr_assert_eq(vx_cm_client_step(clients[i % 2]), -EAGAIN, "%s", vx_error_text());
		poll(NULL, 0, 1);
	}
	until_count(server, 1);
	cr_expect_eq(vx_cm_server_run(server, 5), -EAGAIN);
	cr_expect_eq(vx_cm_server_count(server), 1);
	cr_expect_eq(told.asked, 1);
	made(vx_close(clients[0]));
	made(vx_close(clients[1]));
	made(vx_close(server));
}

/* ---- what a QP had left to do ---- */

/* What was given to the QP that ends, and what came back of it. */
struct left {
	int ended, drained, flushed;
	struct vx_mr *mr;
};

static int give_receives(struct vx_cm_connection *connection, void *data)
{
	struct left *left = data;
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(left->mr), 64, vx_mr_lkey(left->mr) };
	int i, rc = 0;

	for (i = 0; i < 3 && rc == 0; i++)
		rc = vx_qp_post_recv_one(connection->qp, i, &sge, 1);
	return rc;
}

static void count_flushed(const struct ibv_wc *wc, void *data)
{
	((struct left *)data)->flushed += wc->status == IBV_WC_WR_FLUSH_ERR;
}

static void drain_there(struct vx_cm_connection *connection, int status, void *data)
{
	struct left *left = data;

	(void)status;
	left->drained = vx_qp_drain(connection->qp, WITHIN, count_flushed, left);
	left->ended++;
}

/* Two connections share a CQ, which the program polls. */
Test(cm_inside, all_that_a_qp_had_to_do_is_drained_by_its_disconnected)
{
	struct left left = { 0 };
	struct vx_cm_qp_init qp = { 0 };
	struct vx_cm_server_init init = { .node = here(), .qp = &qp, .request = give_receives, .disconnected = drain_there, .data = &left };
	struct vx_cm_client *first, *second;
	struct vx_cm_server *server;
	struct vx_ctx *ctx;
	size_t count;

	made(vx_cm_contexts(&ctx, 1, &count));
	made(vx_pd_create(ctx, NULL, &qp.pd));
	made(vx_cq_create(ctx, NULL, &qp.recv_cq));
	made(vx_mr_create(qp.pd, &(struct vx_mr_init){ .length = 64 }, &left.mr));
	qp.send_cq = qp.recv_cq;
	made(vx_cm_server_create(&init, &server));
	first = connected(server);
	second = connected(server);
	made(vx_close(first));
	until_count(server, 1);
	cr_expect_eq(left.drained, 0, "%s", vx_error_text());
	cr_expect_eq(left.flushed, 3, "%d were flushed", left.flushed);
	made(vx_close(server));
	cr_expect_eq(left.drained, 0, "%s", vx_error_text());
	cr_expect_eq(left.flushed, 6, "%d were flushed", left.flushed);
	cr_expect_eq(left.ended, 2);
	made(vx_close(second));
	made(vx_close(ctx));
}
