/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Both ends of a connection, for tests of what becomes of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>

#include "../emu.h"
#include "ends.h"

struct end client, server;

struct sockaddr_in address(const char *ip, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, ip, &a.sin_addr);
	return a;
}

void fail(const char *list)
{
	__typeof__(&vx_emu_fail) emu_fail = (__typeof__(&vx_emu_fail))dlsym(RTLD_DEFAULT, "vx_emu_fail");

	CHECK(emu_fail);
	emu_fail(list);
}

static void open_end(struct end *e)
{
	e->channel = rdma_create_event_channel();
	CHECK(e->channel);
	CHECK(!rdma_create_id(e->channel, &e->id, NULL, RDMA_PS_TCP));
}

void ack(struct end *e)
{
	if (e->event)
		CHECK(!rdma_ack_cm_event(e->event));
	e->event = NULL;
}

bool is_readable(const struct end *e, int ms)
{
	struct pollfd p = { .fd = e->channel->fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

struct rdma_cm_event *expect(struct end *e, enum rdma_cm_event_type type, int status)
{
	ack(e);
	cr_assert(is_readable(e, PATIENCE), "no %s", rdma_event_str(type));
	CHECK(!rdma_get_cm_event(e->channel, &e->event));
	cr_assert_eq(e->event->event, type, "%s rather than %s", rdma_event_str(e->event->event),
		     rdma_event_str(type));
	cr_assert_eq(e->event->status, status, "%s: status %d", rdma_event_str(type), e->event->status);
	return e->event;
}

void open_ends(void)
{
	open_end(&client);
	open_end(&server);
}

static void close_end(struct end *e)
{
	ack(e);
	if (e->id)
		CHECK(!rdma_destroy_id(e->id));
	rdma_destroy_event_channel(e->channel);
}

void close_ends(void)
{
	close_end(&client);
	close_end(&server);
}

void listen_at(struct end *e, const char *ip)
{
	struct sockaddr_in a = address(ip, PORT);

	CHECK(!rdma_bind_addr(e->id, (struct sockaddr *)&a));
	CHECK(!rdma_listen(e->id, 4));
}

void resolve(struct end *e, const char *ip)
{
	struct sockaddr_in a = address(ip, PORT);

	CHECK(!rdma_resolve_addr(e->id, NULL, (struct sockaddr *)&a, 1000));
	expect(e, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	CHECK(!rdma_resolve_route(e->id, 1000));
	expect(e, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
}

void make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr a = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };

	CHECK(!rdma_create_qp(id, NULL, &a));
}

struct rdma_conn_param param(const char *data)
{
	return (struct rdma_conn_param){ .private_data = data,
					 .private_data_len = data ? strlen(data) + 1 : 0,
					 .responder_resources = 4,
					 .initiator_depth = 2,
					 .retry_count = 7,
					 .rnr_retry_count = 7 };
}

void ask(const char *data)
{
	struct rdma_conn_param p = param(data);

	resolve(&client, "10.1.0.1");
	make_qp(client.id);
	CHECK(!rdma_connect(client.id, &p));
}

void accept_it(const char *data)
{
	struct rdma_conn_param p = param(data);
	struct rdma_cm_id *listener = server.id;

	server.id = expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->id;
	make_qp(server.id);
	CHECK(!rdma_accept(server.id, &p));
	ack(&server);
	CHECK(!rdma_destroy_id(listener));
}

void connect_ends(void)
{
	listen_at(&server, "0.0.0.0");
	ask("request");
	accept_it("answer");
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
}

void disconnect_ends(void)
{
	CHECK(!rdma_disconnect(client.id));
	cr_expect_eq(expect(&server, RDMA_CM_EVENT_DISCONNECTED, 0)->param.conn.private_data_len, 0);
	CHECK(!rdma_disconnect(server.id));
	cr_expect_eq(expect(&client, RDMA_CM_EVENT_DISCONNECTED, 0)->param.conn.private_data_len, 0);
	expect(&client, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	ack(&client);
	ack(&server);
	rdma_destroy_qp(client.id);
	rdma_destroy_qp(server.id);
}

void expect_rejection_of(struct end *e, int reason)
{
	expect(e, RDMA_CM_EVENT_REJECTED, reason);
	cr_expect_eq(e->event->param.conn.private_data_len, PRIVATE_REJ);
}

void expect_rejection(int reason)
{
	expect_rejection_of(&client, reason);
}

void drop_client_qp(void)
{
	ack(&client);
	rdma_destroy_qp(client.id);
}
