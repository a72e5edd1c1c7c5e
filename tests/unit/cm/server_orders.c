/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Closing a server that has live connections, in any order; many connections, of several threads; and each call of rdma-core failing. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "server_bed.h"

#define CLIENTS 3
#define ROUNDS 40
#define THREADS 8

TestSuite(cm_server_orders, .timeout = 120);

/* What an end is told of is gone for who would close it by itself. */
struct ends {
	struct vx_cm_connection *of[CLIENTS];
	int ended;
};

static void begun(struct vx_cm_connection *connection, void *data)
{
	struct ends *ends = data;
	int i;

	for (i = 0; ends->of[i]; i++)
		;
	ends->of[i] = connection;
}

static void ended(struct vx_cm_connection *connection, int status, void *data)
{
	struct ends *ends = data;
	int i;

	(void)status;
	for (i = 0; i < CLIENTS; i++)
		if (ends->of[i] == connection)
			ends->of[i] = NULL;
	ends->ended++;
}

/* One of: the server, a client, the id or the QP of a connection, a step. */
static void close_some(struct vx_cm_server **server, struct vx_cm_client **clients, struct ends *ends, unsigned int what)
{
	const unsigned int which = what / 5 % CLIENTS;

	switch (what % 5) {
	case 0:
		made(vx_close(*server));
		*server = NULL;
		break;
	case 1:
		made(vx_close(clients[which]));
		clients[which] = NULL;
		break;
	case 2:
		made(ends->of[which] ? vx_close(ends->of[which]->id) : 0);
		break;
	case 3:
		made(ends->of[which] ? vx_close(ends->of[which]->qp) : 0);
		break;
	default:
		cr_assert_geq(*server ? vx_cm_server_step(*server, 1) : 0, 0, "%s", vx_error_text());
	}
}

Test(cm_server_orders, all_ends_are_told_once)
{
	const char *seed = getenv("CM_SEED");
	unsigned int i, n, random = seed ? (unsigned int)strtoul(seed, NULL, 0) : 1;
	struct vx_cm_client *clients[CLIENTS];
	struct vx_cm_server *server;
	struct ends ends;

	for (i = 0; i < ROUNDS; i++) {
		ends = (struct ends){ 0 };
		made(vx_cm_server_create(&(struct vx_cm_server_init){ .node = here(), .established = begun, .disconnected = ended, .data = &ends },
					 &server));
		for (n = 0; n < CLIENTS; n++)
			clients[n] = connected(server);
		for (n = 0; n < 12 && server; n++)
			close_some(&server, clients, &ends, (unsigned int)rand_r(&random) % 1024);
		made(vx_close(server));
		for (n = 0; n < CLIENTS; n++)
			made(vx_close(clients[n]));
		cr_assert_eq(ends.ended, CLIENTS, "%d ends in round %u of seed %s", ends.ended, i, seed ? seed : "1");
	}
}

/* What a server and two connections are made of; any may go first, and the CQ takes the server along. */
enum { CQ, SERVER, FIRST, SECOND, PARTS };
#define ORDERS (4 * 3 * 2)

/* The number of an order says what is next, each time of what is left. */
static void close_in_order(void *const parts[PARTS], int order)
{
	int of[PARTS] = { CQ, SERVER, FIRST, SECOND }, left, next;
	bool has_cq = true;

	for (left = PARTS; left; of[next] = of[--left]) {
		next = order % left;
		order /= left;
		made(of[next] == SERVER && !has_cq ? 0 : vx_close(parts[of[next]]));
		has_cq &= of[next] != CQ;
	}
}

Test(cm_server_orders, each_order_of_a_server_its_clients_and_their_cq)
{
	struct vx_cm_server *server;
	struct vx_cm_qp_init qp;
	struct ends ends;
	struct vx_ctx *ctx;
	size_t count;
	int order;

	made(vx_cm_contexts(&ctx, 1, &count));
	for (order = 0; order < ORDERS; order++) {
		ends = (struct ends){ 0 };
		qp = (struct vx_cm_qp_init){ 0 };
		made(vx_cq_create(ctx, NULL, &qp.send_cq));
		qp.recv_cq = qp.send_cq;
		made(vx_cm_server_create(&(struct vx_cm_server_init){ .node = here(), .qp = &qp, .disconnected = ended, .established = begun,
								      .data = &ends }, &server));
		close_in_order((void *const[PARTS]){ qp.send_cq, server, connected(server), connected(server) }, order);
		cr_assert_eq(ends.ended, 2, "%d ends in order %d", ends.ended, order);
	}
	made(vx_close(ctx));
}

/* ---- many ---- */

static int number_of(const char *name, int otherwise)
{
	return getenv(name) ? atoi(getenv(name)) : otherwise;
}

static void *come_and_go(void *told)
{
	struct vx_cm_server *server = serve(NULL, told);
	int i, count = number_of("CM_CONNECTS", 1000) / THREADS;

	for (i = 0; i < count; i++)
		made(vx_close(connected(server)));
	made(vx_cm_server_stop(server, WITHIN));
	made(vx_close(server));
	cr_expect_eq(((struct told *)told)->disconnected, ((struct told *)told)->asked);
	return NULL;
}

Test(cm_server_orders, threads_have_servers_of_their_own)
{
	struct told told[THREADS] = { 0 };
	pthread_t threads[THREADS];
	int i, asked = 0;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, come_and_go, &told[i]), 0);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		asked += told[i].asked;
	}
	cr_expect_eq(asked, number_of("CM_CONNECTS", 1000) / THREADS * THREADS);
}

/* ---- failing ---- */

/* Until it is connected, or what failed first. */
static int connect_both(struct vx_cm_server *server, struct vx_cm_client *client)
{
	int rc, served = 0;

	while (served >= 0 && (rc = vx_cm_client_step(client)) == -EAGAIN) {
		served = vx_cm_server_step(server, 8);
		poll(&(struct pollfd){ vx_cm_client_fd(client), POLLIN, 0 }, 1, 1);
	}
	return served < 0 ? served : rc;
}

/* What the kernel does not end is still there for a second try. */
static void close_twice(void *object)
{
	cr_expect(vx_close(object) == 0 || vx_close(object) == 0, "%s", vx_error_text());
}

static int live_with(struct vx_cm_server *server)
{
	struct vx_cm_client_init way = way_to(server);
	struct vx_cm_client *client;
	int rc;

	way.timeout_ms = 500;
	rc = vx_cm_client_create(&way, &client);
	if (rc < 0)
		return rc;
	rc = connect_both(server, client);
	if (rc < 0)
		cr_expect_eq(vx_error()->code, rc, "%d: %s", rc, vx_error_text());
	close_twice(client);
	return rc;
}

/* All of a connection's life. */
static int live(void)
{
	struct vx_cm_server *server;
	int rc = vx_cm_server_create(&(struct vx_cm_server_init){ .node = here() }, &server);

	if (rc < 0)
		return rc;
	rc = live_with(server);
	close_twice(server);
	return rc;
}

/* Whatever is refused has a negative errno and a reason, and what was made until then goes. */
Test(cm_server_orders, each_call_may_fail)
{
	char list[32];
	int i, failures = 0;

	made(live());
	for (i = 1; i < 60; i++) {
		snprintf(list, sizeof(list), "call#%d:EIO", i);
		fail(list);
		failures += live() < 0;
		fail(NULL);
	}
	cr_expect_gt(failures, 5);
	made(live());
}
