/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* librdmacm on the emulated device: both ends in one process, each with a channel of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <rdma/rdma_cma.h>

#include "../emu.h"

#define CHECK(x) cr_assert((x), "%s (errno: %s)", #x, strerror(errno))

enum {
	PORT = 7471,
	PRIVATE_REQ = 56, /* what a REQ, a REP and a REJ have room for */
	PRIVATE_REP = 196,
	PRIVATE_REJ = 148,
	NO_SERVICE = 8,
	TIMEOUT_REJECT = 4,
	CONSUMER_REJECT = 28,
	PATIENCE = 10000, /* ms */
	A_WHILE = 20
};

/* One end of a connection */
struct end {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct rdma_cm_event *event; /* the last one, until the next is waited for */
};

static struct end client, server;

static struct sockaddr_in address(const char *ip, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, ip, &a.sin_addr);
	return a;
}

static void fail(const char *list)
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

static void ack(struct end *e)
{
	if (e->event)
		CHECK(!rdma_ack_cm_event(e->event));
	e->event = NULL;
}

static bool is_readable(const struct end *e, int ms)
{
	struct pollfd p = { .fd = e->channel->fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static struct rdma_cm_event *expect(struct end *e, enum rdma_cm_event_type type, int status)
{
	ack(e);
	cr_assert(is_readable(e, PATIENCE), "no %s", rdma_event_str(type));
	CHECK(!rdma_get_cm_event(e->channel, &e->event));
	cr_assert_eq(e->event->event, type, "%s rather than %s", rdma_event_str(e->event->event),
		     rdma_event_str(type));
	cr_assert_eq(e->event->status, status, "%s: status %d", rdma_event_str(type), e->event->status);
	return e->event;
}

static void open_ends(void)
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

static void close_ends(void)
{
	close_end(&client);
	close_end(&server);
}

TestSuite(cm, .init = open_ends, .fini = close_ends, .timeout = 60);

static void listen_at(struct end *e, const char *ip)
{
	struct sockaddr_in a = address(ip, PORT);

	CHECK(!rdma_bind_addr(e->id, (struct sockaddr *)&a));
	CHECK(!rdma_listen(e->id, 4));
}

static void resolve(struct end *e, const char *ip)
{
	struct sockaddr_in a = address(ip, PORT);

	CHECK(!rdma_resolve_addr(e->id, NULL, (struct sockaddr *)&a, 1000));
	expect(e, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	CHECK(!rdma_resolve_route(e->id, 1000));
	expect(e, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
}

static void make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr a = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };

	CHECK(!rdma_create_qp(id, NULL, &a));
}

static struct rdma_conn_param param(const char *data)
{
	return (struct rdma_conn_param){ .private_data = data,
					 .private_data_len = data ? strlen(data) + 1 : 0,
					 .responder_resources = 4,
					 .initiator_depth = 2,
					 .retry_count = 7,
					 .rnr_retry_count = 7 };
}

static void ask(const char *data)
{
	struct rdma_conn_param p = param(data);

	resolve(&client, "10.1.0.1");
	make_qp(client.id);
	CHECK(!rdma_connect(client.id, &p));
}

/* The passive end's new id; it takes the listener's place in @server */
static void accept_it(const char *data)
{
	struct rdma_conn_param p = param(data);
	struct rdma_cm_id *listener = server.id;

	server.id = expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->id;
	make_qp(server.id);
	CHECK(!rdma_accept(server.id, &p));
	ack(&server);
	CHECK(!rdma_destroy_id(listener));
}

static void connect_ends(void)
{
	listen_at(&server, "0.0.0.0");
	ask("request");
	accept_it("answer");
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
}

static void disconnect_ends(void)
{
	CHECK(!rdma_disconnect(client.id));
	expect(&server, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK(!rdma_disconnect(server.id));
	expect(&client, RDMA_CM_EVENT_DISCONNECTED, 0);
	expect(&client, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	ack(&client);
	ack(&server);
	rdma_destroy_qp(client.id);
	rdma_destroy_qp(server.id);
}

Test(cm, two_ends_come_together_and_part)
{
	connect_ends();
	disconnect_ends();
}

/* Each address leads to its device; where there are two, those have 10.1.0.1 and 10.2.0.1 */
Test(cm, an_address_is_that_of_its_device)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct sockaddr_in from = address("10.2.0.1", 0), to = address("10.1.0.1", PORT);
	struct rdma_conn_param p = param("request");
	bool two = list[1];

	ibv_free_device_list(list);
	if (!two) {
		close_ends();
		cr_skip_test("there is one device");
	}
	listen_at(&server, "10.1.0.1");
	CHECK(!rdma_resolve_addr(client.id, (struct sockaddr *)&from, (struct sockaddr *)&to, 1000));
	expect(&client, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	CHECK(!rdma_resolve_route(client.id, 1000));
	expect(&client, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	make_qp(client.id);
	CHECK(!rdma_connect(client.id, &p));
	accept_it("answer");
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
	cr_expect_str_eq(ibv_get_device_name(client.id->verbs->device), "mlx5_1");
	cr_expect_str_eq(ibv_get_device_name(server.id->verbs->device), "mlx5_0");
	cr_expect(client.id->port_num == 1 && server.id->port_num == 1);
	fail("device_removal:2,addr_change:2");
	expect(&client, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	expect(&client, RDMA_CM_EVENT_ADDR_CHANGE, 0);
	cr_expect(!is_readable(&server, 0), "it is of the other device");
	disconnect_ends();
}

static int state_of(struct ibv_qp *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(q, &a, IBV_QP_STATE, &init));
	return a.qp_state;
}

Test(cm, what_one_end_offers_the_other_may_use)
{
	const struct rdma_conn_param *p;
	struct rdma_conn_param answer = param("answer");
	struct rdma_cm_id *fresh;

	listen_at(&server, "10.1.0.1");
	ask("request");
	p = &expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->param.conn;
	cr_expect_eq(p->private_data_len, PRIVATE_REQ);
	cr_expect_str_eq(p->private_data, "request");
	cr_expect_eq(p->responder_resources, 2);
	cr_expect_eq(p->initiator_depth, 4);
	cr_expect_eq(p->qp_num, client.id->qp->qp_num);
	fresh = server.event->id;
	make_qp(fresh);
	CHECK(!rdma_accept(fresh, &answer));
	p = &expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0)->param.conn;
	cr_expect_eq(p->private_data_len, PRIVATE_REP);
	cr_expect_str_eq(p->private_data, "answer");
	cr_expect_eq(p->qp_num, fresh->qp->qp_num);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
	cr_expect_eq(state_of(client.id->qp), IBV_QPS_RTS);
	cr_expect_eq(state_of(fresh->qp), IBV_QPS_RTS);
	ack(&client);
	ack(&server);
	rdma_destroy_qp(fresh);
	CHECK(!rdma_destroy_id(fresh));
	expect(&client, RDMA_CM_EVENT_DISCONNECTED, 0);
	ack(&client);
	rdma_destroy_qp(client.id);
}

static void expect_rejection_of(struct end *e, int reason)
{
	expect(e, RDMA_CM_EVENT_REJECTED, reason);
	cr_expect_eq(e->event->param.conn.private_data_len, PRIVATE_REJ);
}

static void expect_rejection(int reason)
{
	expect_rejection_of(&client, reason);
}

static void drop_client_qp(void)
{
	ack(&client);
	rdma_destroy_qp(client.id);
}

Test(cm, a_server_may_refuse_and_say_why)
{
	struct rdma_cm_id *fresh;

	listen_at(&server, "0.0.0.0");
	ask(NULL);
	fresh = expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->id;
	CHECK(!rdma_reject(fresh, "no room", sizeof("no room")));
	ack(&server);
	CHECK(!rdma_destroy_id(fresh));
	expect_rejection(CONSUMER_REJECT);
	cr_expect_str_eq(client.event->param.conn.private_data, "no room");
	drop_client_qp();
}

Test(cm, nobody_listens)
{
	ask(NULL);
	expect_rejection(NO_SERVICE);
	drop_client_qp();
}

Test(cm, there_is_no_such_host)
{
	struct rdma_conn_param p = param(NULL);

	resolve(&client, "10.1.0.77");
	make_qp(client.id);
	CHECK(!rdma_connect(client.id, &p));
	expect(&client, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	drop_client_qp();
}

Test(cm, there_is_no_such_network)
{
	struct sockaddr_in a = address("192.0.2.1", PORT);

	CHECK(!rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&a, 1000));
	expect(&client, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
}

Test(cm, a_port_has_one_listener)
{
	struct sockaddr_in a = address("0.0.0.0", PORT);

	listen_at(&server, "0.0.0.0");
	cr_expect(rdma_bind_addr(client.id, (struct sockaddr *)&a) && errno == EADDRINUSE);
}

Test(cm, an_address_is_of_this_host)
{
	struct sockaddr_in a = address("10.1.0.2", PORT);

	cr_expect(rdma_bind_addr(client.id, (struct sockaddr *)&a) && errno == EADDRNOTAVAIL);
}

Test(cm, what_is_resolved_or_listens_is_so_once)
{
	struct sockaddr_in nowhere = address("192.0.2.1", PORT), a = address("10.1.0.1", PORT);

	listen_at(&server, "0.0.0.0");
	cr_expect(rdma_listen(server.id, 1) && errno == EINVAL);
	cr_expect(rdma_resolve_addr(server.id, NULL, (struct sockaddr *)&a, 1000) && errno == EINVAL);
	CHECK(!rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&nowhere, 1000));
	expect(&client, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	CHECK(!rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&a, 1000));
	expect(&client, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	cr_expect(rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&a, 1000) && errno == EINVAL);
	CHECK(!rdma_resolve_route(client.id, 1000));
	expect(&client, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	cr_expect(rdma_resolve_route(client.id, 1000) && errno == EINVAL);
}

/* librdmacm destroys the CQs that it made for it, which goes well and leaves errno alone */
Test(cm, a_qp_that_is_too_large_is_invalid)
{
	struct ibv_qp_init_attr a = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1000, 1, 0 } };

	resolve(&client, "10.1.0.1");
	errno = 0;
	cr_expect(rdma_create_qp(client.id, NULL, &a));
	cr_expect_eq(errno, EINVAL, "%s", strerror(errno));
}

Test(cm, an_ephemeral_port_is_there_at_once)
{
	struct sockaddr_in a = address("0.0.0.0", 0);

	CHECK(!rdma_bind_addr(client.id, (struct sockaddr *)&a));
	cr_expect_neq(rdma_get_src_port(client.id), 0);
}

static void leave(struct end *e)
{
	ack(e);
	if (e->id->qp)
		rdma_destroy_qp(e->id);
	CHECK(!rdma_destroy_id(e->id));
	e->id = NULL;
}

/* What the kernel tells of the QP of a request: nothing once the one who asked is gone */
static int init_attr_of(struct rdma_cm_id *id)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT };
	int mask;

	return rdma_init_qp_attr(id, &a, &mask);
}

/* The id is not the program's yet: there is no event for it, and accepting it fails */
Test(cm, who_gives_up_asking_cannot_be_accepted)
{
	struct rdma_conn_param p = param(NULL);
	struct rdma_cm_id *fresh;

	listen_at(&server, "0.0.0.0");
	ask(NULL);
	fresh = expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->id;
	CHECK(!init_attr_of(fresh));
	leave(&client);
	cr_expect_not(is_readable(&server, A_WHILE));
	cr_expect(init_attr_of(fresh) && errno == EINVAL);
	cr_expect(rdma_accept(fresh, &p) && errno == EINVAL);
	ack(&server);
	CHECK(!rdma_destroy_id(fresh));
}

/* The passive end hears it as a rejection when it has answered: the other is asked again, and has gone */
Test(cm, who_gives_up_before_the_answer_is_there_rejects_it)
{
	fail("cm_delay:REP@100");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	accept_it(NULL);
	leave(&client);
	expect_rejection_of(&server, TIMEOUT_REJECT);
	leave(&server);
}

/* The passive end has answered, and does not know yet that it was heard */
Test(cm, a_connection_can_be_rejected_after_it_was_accepted)
{
	fail("cm_drop#1-:RTU");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	accept_it(NULL);
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	leave(&server);
	expect_rejection(CONSUMER_REJECT);
	cr_expect_not(is_readable(&client, A_WHILE), "nothing follows");
	drop_client_qp();
}

/* Else rdma_destroy_id() waits for acknowledgements that never come */
Test(cm, events_that_nobody_fetched_go_with_their_id)
{
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	CHECK(is_readable(&server, PATIENCE));
	CHECK(!rdma_destroy_id(server.id));
	server.id = NULL;
	cr_expect_not(is_readable(&server, 0));
	expect_rejection(CONSUMER_REJECT);
	drop_client_qp();
}

/* Once: the id that was made for it is of the channel as well. */
Test(cm, a_request_that_nobody_fetched_goes_with_its_channel)
{
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	CHECK(is_readable(&server, PATIENCE));
	CHECK(!close(server.channel->fd));
	server.channel->fd = open("/dev/null", O_RDONLY);
	server.id = NULL;
	expect_rejection(CONSUMER_REJECT);
	drop_client_qp();
}

Test(cm, an_id_takes_its_events_to_another_channel)
{
	struct sockaddr_in a = address("10.1.0.1", PORT);

	CHECK(!rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&a, 1000));
	CHECK(is_readable(&client, PATIENCE));
	CHECK(!rdma_migrate_id(client.id, server.channel));
	cr_expect_not(is_readable(&client, 0));
	cr_expect_eq(expect(&server, RDMA_CM_EVENT_ADDR_RESOLVED, 0)->id, client.id);
	ack(&server);
}

Test(cm, a_channel_that_does_not_block_says_so)
{
	struct rdma_cm_event *e;

	CHECK(!fcntl(client.channel->fd, F_SETFL, O_NONBLOCK));
	cr_expect(rdma_get_cm_event(client.channel, &e) && errno == EAGAIN);
}

Test(cm, what_is_lost_is_sent_again)
{
	fail("cm_drop:REQ,cm_drop:REP,cm_drop:RTU,cm_drop:DREQ,cm_drop:DREP");
	connect_ends();
	disconnect_ends();
}

Test(cm, a_request_that_is_always_lost_is_given_up)
{
	fail("cm_drop#1-:REQ");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	expect(&client, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	drop_client_qp();
}

Test(cm, a_rejection_can_have_any_reason)
{
	fail("cm_reject:10");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	expect_rejection(10);
	drop_client_qp();
}

Test(cm, a_device_can_go_away)
{
	connect_ends();
	fail("device_removal");
	expect(&client, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	expect(&server, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	fail("addr_change");
	expect(&client, RDMA_CM_EVENT_ADDR_CHANGE, 0);
	expect(&server, RDMA_CM_EVENT_ADDR_CHANGE, 0);
	disconnect_ends();
}

Test(cm, a_command_can_fail)
{
	struct sockaddr_in a = address("0.0.0.0", PORT);

	fail("cm_bind:EADDRINUSE");
	cr_expect(rdma_bind_addr(client.id, (struct sockaddr *)&a) && errno == EADDRINUSE);
	CHECK(!rdma_bind_addr(client.id, (struct sockaddr *)&a));
}

Test(cm, a_message_can_be_late)
{
	fail("cm_delay:REP@300");
	connect_ends();
	disconnect_ends();
}
