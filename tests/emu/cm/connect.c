/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* librdmacm on the emulated device: who comes together, who is refused, and what addresses there are. */
#include <infiniband/verbs.h>

#include "ends.h"

TestSuite(cm, .init = open_ends, .fini = close_ends, .timeout = 60);

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

static struct ibv_qp_attr attr_of(struct ibv_qp *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(q, &a, IBV_QP_STATE | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY, &init));
	return a;
}

static int state_of(struct ibv_qp *q)
{
	return attr_of(q).qp_state;
}

/* In three bits: 10 are 7, and not 2. Each end does as the other says, but for what the server gives no count of */
Test(cm, of_retries_there_are_seven_at_most)
{
	struct rdma_conn_param ask_for = param(NULL), answer = param(NULL);
	struct rdma_cm_id *listener = server.id;
	const struct rdma_conn_param *p;

	ask_for.retry_count = ask_for.rnr_retry_count = 10;
	answer.rnr_retry_count = 3;
	listen_at(&server, "10.1.0.1");
	resolve(&client, "10.1.0.1");
	make_qp(client.id);
	CHECK(!rdma_connect(client.id, &ask_for));
	p = &expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST, 0)->param.conn;
	cr_expect(p->retry_count == 7 && p->rnr_retry_count == 7);
	server.id = server.event->id;
	make_qp(server.id);
	CHECK(!rdma_accept(server.id, &answer));
	ack(&server);
	CHECK(!rdma_destroy_id(listener));
	cr_expect_eq(expect(&client, RDMA_CM_EVENT_ESTABLISHED, 0)->param.conn.rnr_retry_count, 3);
	expect(&server, RDMA_CM_EVENT_ESTABLISHED, 0);
	cr_expect(attr_of(client.id->qp).retry_cnt == 7 && attr_of(server.id->qp).retry_cnt == 7);
	cr_expect_eq(attr_of(client.id->qp).rnr_retry, 3);
	cr_expect_eq(attr_of(server.id->qp).rnr_retry, 7);
	disconnect_ends();
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
	cr_expect(rdma_listen(client.id, 1) && errno == EINVAL);
	CHECK(!rdma_resolve_route(client.id, 1000));
	expect(&client, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	cr_expect(rdma_resolve_route(client.id, 1000) && errno == EINVAL);
}

static void expect_no_group(struct rdma_cm_id *id)
{
	struct sockaddr_in group = address("239.1.2.3", 0);

	cr_expect(rdma_join_multicast(id, (struct sockaddr *)&group, NULL) && errno == EINVAL);
}

Test(cm, groups_are_of_ids_of_datagrams_that_are_bound_or_resolved)
{
	struct sockaddr_in a = address("10.1.0.1", PORT), group = address("239.1.2.3", 0);
	struct rdma_cm_id *id;

	resolve(&client, "10.1.0.1");
	expect_no_group(client.id);
	CHECK(!rdma_create_id(server.channel, &id, NULL, RDMA_PS_UDP));
	CHECK(!rdma_bind_addr(id, (struct sockaddr *)&a));
	CHECK(!rdma_join_multicast(id, (struct sockaddr *)&group, NULL));
	expect(&server, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	ack(&server);
	CHECK(!rdma_listen(id, 1));
	expect_no_group(id);
	CHECK(!rdma_destroy_id(id));

	CHECK(!rdma_create_id(server.channel, &id, NULL, RDMA_PS_UDP));
	CHECK(!rdma_resolve_addr(id, NULL, (struct sockaddr *)&a, 1000));
	expect(&server, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	CHECK(!rdma_resolve_route(id, 1000));
	expect(&server, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	ack(&server);
	expect_no_group(id);
	CHECK(!rdma_destroy_id(id));
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
