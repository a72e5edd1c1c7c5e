/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* librdmacm on the emulated device: ends that go away early, messages that are lost or late, and what else goes wrong. */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include <rdma/rdma_verbs.h>

#include "ends.h"

enum {
	HELD_BACK = 100, /* ms: a disconnection, for who has not taken what came before it */
	TWO_TRIES = 300,
	THREE_TRIES = 600,
	OF_AN_ABSENT_PEER = 5000, /* more than all tries, where nobody says that they have come */
	AT_MOST = 30000
};

TestSuite(cm_gone, .init = open_ends, .fini = close_ends, .timeout = 60);
TestSuite(cm_patience, .init = open_ends, .fini = close_ends, .timeout = 60); /* half a minute of it: emu.cm_long */

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
Test(cm_gone, who_gives_up_asking_cannot_be_accepted)
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
Test(cm_gone, who_gives_up_before_the_answer_is_there_rejects_it)
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
Test(cm_gone, a_connection_can_be_rejected_after_it_was_accepted)
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
Test(cm_gone, events_that_nobody_fetched_go_with_their_id)
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
Test(cm_gone, a_request_that_nobody_fetched_goes_with_its_channel)
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

Test(cm_gone, a_channel_that_does_not_block_says_so)
{
	struct rdma_cm_event *e;

	CHECK(!fcntl(client.channel->fd, F_SETFL, O_NONBLOCK));
	cr_expect(rdma_get_cm_event(client.channel, &e) && errno == EAGAIN);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* On hardware it would have been there for long; of a QP that is destroyed, nothing is found any more */
Test(cm_gone, a_message_is_found_before_its_sender_is_gone)
{
	static char buffer[16];
	struct ibv_mr *from, *to;
	struct ibv_wc wc;
	double parting;

	connect_ends();
	from = rdma_reg_msgs(client.id, buffer, sizeof(buffer));
	to = rdma_reg_msgs(server.id, buffer, sizeof(buffer));
	CHECK(from && to && !rdma_post_recv(server.id, NULL, buffer, 8, to));
	CHECK(!rdma_post_send(client.id, NULL, buffer + 8, 8, from, IBV_SEND_SIGNALED));
	CHECK(rdma_get_send_comp(client.id, &wc) == 1 && !wc.status);
	parting = now_ms();
	CHECK(!rdma_disconnect(client.id));
	expect(&server, RDMA_CM_EVENT_DISCONNECTED, 0);
	cr_expect(now_ms() - parting >= HELD_BACK);
	CHECK(!rdma_dereg_mr(from) && !rdma_dereg_mr(to));
	CHECK(!rdma_disconnect(server.id));
	expect(&client, RDMA_CM_EVENT_DISCONNECTED, 0);
	leave(&client);
	leave(&server);
}

Test(cm_gone, what_is_lost_is_sent_again)
{
	fail("cm_drop:REQ,cm_drop:REP,cm_drop:RTU,cm_drop:DREQ,cm_drop:DREP");
	connect_ends();
	disconnect_ends();
}

/* As the kernel's, which say that they have it (emu.cm_devices counts the messages) */
Test(cm_gone, who_takes_long_to_answer_is_waited_for)
{
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	CHECK(is_readable(&server, PATIENCE));
	cr_expect_not(is_readable(&client, THREE_TRIES));
	accept_it(NULL);
	CHECK(is_readable(&client, PATIENCE));
	cr_expect_not(is_readable(&server, THREE_TRIES)); /* until the library has seen the answer, which tells the other */
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
	leave(&client);
	leave(&server);
}

/* Either end's message, or that the other has it; and at last what ends it, when this one has been told to wait and the other says no more */
Test(cm_gone, what_is_lost_between_ends_that_take_long_is_sent_again)
{
	fail("cm_drop:REQ,cm_drop:REP,cm_drop:RTU,cm_drop:MRA");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	CHECK(is_readable(&server, PATIENCE));
	cr_expect_not(is_readable(&client, THREE_TRIES));
	accept_it(NULL);
	CHECK(is_readable(&client, PATIENCE));
	cr_expect_not(is_readable(&server, TWO_TRIES));
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
	leave(&client);
	leave(&server);
}

Test(cm_gone, a_rejection_that_is_lost_is_said_again)
{
	struct rdma_cm_id *fresh;

	fail("cm_drop:REJ");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	fresh = expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->id;
	CHECK(!rdma_reject(fresh, "no", 3));
	expect_rejection(CONSUMER_REJECT);
	cr_expect_str_eq(client.event->param.conn.private_data, "no");
	ack(&server);
	CHECK(!rdma_destroy_id(fresh));
	cr_expect_not(is_readable(&server, 0), "one request");
	drop_client_qp();
}

/* As with the kernel's: who has rejected it and is gone knows nothing of it any more, and takes it for another request */
Test(cm_gone, a_rejection_that_is_lost_after_patience_is_asked_for_again)
{
	struct rdma_cm_id *fresh;

	fail("cm_drop:REJ");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	fresh = expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->id;
	cr_expect_not(is_readable(&client, TWO_TRIES));
	CHECK(!rdma_reject(fresh, NULL, 0));
	ack(&server);
	CHECK(!rdma_destroy_id(fresh));
	accept_it(NULL);
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
	leave(&client);
	leave(&server);
}

static struct rdma_cm_id *of_datagrams(struct end *e)
{
	struct rdma_cm_id *id;

	CHECK(!rdma_create_id(e->channel, &id, NULL, RDMA_PS_UDP));
	CHECK(!rdma_destroy_id(e->id));
	return e->id = id;
}

/* By its own answer, and not by a second request, which some servers have no room for */
Test(cm_gone, an_answer_about_datagrams_that_is_lost_is_said_again)
{
	struct rdma_conn_param p = { .qp_num = 5 };
	struct rdma_cm_id *fresh;

	fail("cm_drop:SIDR_REP");
	of_datagrams(&client);
	of_datagrams(&server);
	listen_at(&server, "0.0.0.0");
	resolve(&client, "10.1.0.1");
	CHECK(!rdma_connect(client.id, &p));
	fresh = expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->id;
	CHECK(!rdma_accept(fresh, &p));
	expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0);
	cr_expect_eq(client.event->param.ud.qp_num, 5);
	ack(&server);
	CHECK(!rdma_destroy_id(fresh));
	cr_expect_not(is_readable(&server, 0), "one request");
}

/* Who never answers is given up, though it is there and says so: of 15 tries each is waited for a second at most */
Test(cm_patience, a_peer_that_never_answers_is_given_up)
{
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	CHECK(is_readable(&server, PATIENCE));
	cr_expect_not(is_readable(&client, OF_AN_ABSENT_PEER), "too early");
	CHECK(is_readable(&client, AT_MOST));
	expect(&client, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	drop_client_qp();
}

Test(cm_patience, an_answer_that_is_never_looked_at_is_given_up)
{
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	accept_it(NULL);
	CHECK(is_readable(&client, PATIENCE));
	cr_expect_not(is_readable(&server, OF_AN_ABSENT_PEER), "too early");
	CHECK(is_readable(&server, AT_MOST));
	expect(&server, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	leave(&server);
}

Test(cm_gone, a_request_that_is_always_lost_is_given_up)
{
	fail("cm_drop#1-:REQ");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	expect(&client, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	drop_client_qp();
}

Test(cm_gone, a_rejection_can_have_any_reason)
{
	fail("cm_reject:10");
	listen_at(&server, "0.0.0.0");
	ask(NULL);
	expect_rejection(10);
	drop_client_qp();
}

Test(cm_gone, a_device_can_go_away)
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

Test(cm_gone, a_command_can_fail)
{
	struct sockaddr_in a = address("0.0.0.0", PORT);

	fail("cm_bind:EADDRINUSE");
	cr_expect(rdma_bind_addr(client.id, (struct sockaddr *)&a) && errno == EADDRINUSE);
	CHECK(!rdma_bind_addr(client.id, (struct sockaddr *)&a));
}

Test(cm_gone, a_message_can_be_late)
{
	fail("cm_delay:REP@300");
	connect_ends();
	disconnect_ends();
}
