/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm: the wrong step, and numbers. */

#include <stdio.h>

#include "connection.h"

/* ---- the wrong step ---- */

static int connect_nowhere(struct bench *b)
{
	return said(b, vx_cm_id_connect(begin(b), NULL));
}

static int route_to_nowhere(struct bench *b)
{
	return said(b, vx_cm_id_resolve_route(begin(b), SOON));
}

static int connect_without_route(struct bench *b)
{
	with_qp(resolved(b));
	return said(b, vx_cm_id_connect(id, NULL));
}

static int connect_without_qp(struct bench *b)
{
	return said(b, vx_cm_id_connect(routed_as(RDMA_PS_TCP), NULL));
}

static int accept_nobody(struct bench *b)
{
	with_qp(resolved(b));
	return said(b, vx_cm_id_accept(id, NULL));
}

static int accept_without_qp(struct bench *b)
{
	return said(b, vx_cm_id_accept(request(1), NULL));
}

static int reject_nobody(struct bench *b)
{
	return said(b, vx_cm_id_reject(resolved(b), NULL, 0));
}

static int disconnect_nobody(struct bench *b)
{
	return said(b, vx_cm_id_disconnect(begin(b)));
}

static int disconnect_too_soon(struct bench *b)
{
	return said(b, vx_cm_id_disconnect(resolved(b)));
}

static int establish_nothing(struct bench *b)
{
	return said(b, vx_cm_id_establish(resolved(b)));
}

static int establish_what_librdmacm_does(struct bench *b)
{
	with_qp(resolved(b));
	return said(b, vx_cm_id_establish(id));
}

static int notify_nobody(struct bench *b)
{
	return said(b, vx_cm_id_notify(resolved(b), IBV_EVENT_COMM_EST));
}

static int notify_of_another_event(struct bench *b)
{
	return said(b, vx_cm_id_notify(resolved(b), IBV_EVENT_PATH_MIG));
}

static int request_of_an_asynchronous_id(struct bench *b)
{
	struct vx_cm_id *out;

	return said(b, vx_cm_request_create(begin(b), NULL, &out));
}

static int attributes_of_nothing(struct bench *b)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int mask;

	return said(b, vx_cm_id_init_qp_attr(resolved(b), &attr, &mask));
}

/* ---- once is enough ---- */

static int accept_again(struct bench *b)
{
	with_qp(request(1));
	must(vx_cm_id_accept(asked, NULL));
	return said(b, vx_cm_id_accept(asked, NULL));
}

static int accept_after_all(struct bench *b)
{
	with_qp(request(1));
	must(vx_cm_id_reject(asked, NULL, 0));
	return said(b, vx_cm_id_accept(asked, NULL));
}

static int reject_again(struct bench *b)
{
	must(vx_cm_id_reject(request(1), NULL, 0));
	return said(b, vx_cm_id_reject(asked, NULL, 0));
}

static int reject_after_all(struct bench *b)
{
	with_qp(request(1));
	must(vx_cm_id_accept(asked, NULL));
	return said(b, vx_cm_id_reject(asked, NULL, 0));
}

static int connect_who_asks(struct bench *b)
{
	with_qp(request(1));
	return said(b, vx_cm_id_connect(asked, NULL));
}

/* ---- who listens ---- */

static int connect_the_listener(struct bench *b)
{
	resolved(b);
	return said(b, vx_cm_id_connect(listener, NULL));
}

static int resolve_the_listener(struct bench *b)
{
	resolved(b);
	return said(b, vx_cm_id_resolve_addr(listener, NULL, address(OWN, 7471), SOON));
}

static int accept_the_listener(struct bench *b)
{
	request(1);
	return said(b, vx_cm_id_accept(listener, NULL));
}

static int disconnect_the_listener(struct bench *b)
{
	resolved(b);
	return said(b, vx_cm_id_disconnect(listener));
}

static int listen_when_resolved(struct bench *b)
{
	return said(b, vx_cm_id_listen(resolved(b), 0));
}

/* ---- NULL ---- */

static int connect_nothing(struct bench *b)
{
	begin(b);
	return said(b, vx_cm_id_connect(NULL, NULL));
}

static int id_of_no_channel(struct bench *b)
{
	begin(b);
	return said(b, vx_cm_channel_get_event(NULL, 0, &(struct vx_cm_event){ 0 }));
}

static int event_without_a_place(struct bench *b)
{
	begin(b);
	return said(b, vx_cm_channel_get_event(channel, 0, NULL));
}

static int reject_with_nothing(struct bench *b)
{
	return said(b, vx_cm_id_reject(request(1), NULL, 20));
}

static int connect_with_nothing(struct bench *b)
{
	struct rdma_conn_param param = telling(20);

	param.private_data = NULL;
	with_qp(routed_as(RDMA_PS_TCP));
	return said(b, vx_cm_id_connect(id, &param));
}

static int accept_with_nothing(struct bench *b)
{
	struct rdma_conn_param param = telling(20);

	param.private_data = NULL;
	with_qp(request(1));
	return said(b, vx_cm_id_accept(asked, &param));
}

static int move_to_nowhere(struct bench *b)
{
	return said(b, vx_cm_id_migrate(begin(b), NULL));
}

static int attributes_without_a_place(struct bench *b)
{
	int mask;

	return said(b, vx_cm_id_init_qp_attr(resolved(b), NULL, &mask));
}

static int attributes_of_rts_too_soon(struct bench *b)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	int mask;

	return said(b, vx_cm_id_init_qp_attr(routed_as(RDMA_PS_TCP), &attr, &mask));
}

/* ---- options ---- */

static int tos_too_large(struct bench *b)
{
	return said(b, vx_cm_id_set_tos(begin(b), 300));
}

static int timeout_too_long(struct bench *b)
{
	return said(b, vx_cm_id_set_ack_timeout(begin(b), 32));
}

static int paths_that_are_nowhere(struct bench *b)
{
	return said(b, vx_cm_id_set_ib_path(resolved(b), NULL, 1));
}

static int extensions_of_nobody(struct bench *b)
{
	return said(b, vx_cm_id_set_local_ece(routed_as(RDMA_PS_TCP), &(struct ibv_ece){ .options = 1 }));
}

static int extensions_beside_a_qp(struct bench *b)
{
	struct ibv_ece ece;

	with_qp(resolved(b));
	return said(b, vx_cm_id_get_remote_ece(id, &ece));
}

static int event_of_ones_own(struct bench *b)
{
	return said(b, vx_cm_id_write_cm_event(begin(b), RDMA_CM_EVENT_ESTABLISHED, 0, 1));
}

static int names_by_an_id(struct bench *b)
{
	return said(b, vx_cm_id_resolve_addrinfo(begin(b), "10.1.0.1", "7471", NULL));
}

/* ---- numbers ---- */

static int tell_much_by_connect(struct bench *b)
{
	struct rdma_conn_param param = telling(57);

	with_qp(routed_as(RDMA_PS_TCP));
	return said(b, vx_cm_id_connect(id, &param));
}

static int tell_much_by_a_datagram(struct bench *b)
{
	struct rdma_conn_param param = telling(181);

	with_qp(routed_as(RDMA_PS_UDP));
	return said(b, vx_cm_id_connect(id, &param));
}

static int tell_much_by_accept(struct bench *b)
{
	struct rdma_conn_param param = telling(197);

	with_qp(request(1));
	return said(b, vx_cm_id_accept(asked, &param));
}

static int tell_much_by_reject(struct bench *b)
{
	return said(b, vx_cm_id_reject(request(1), much, 149));
}

static int too_deep_for_the_device(struct bench *b)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.responder_resources = 200;
	with_qp(routed_as(RDMA_PS_TCP));
	return said(b, vx_cm_id_connect(id, &param));
}

static int deeper_than_the_device(struct bench *b)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.initiator_depth = 17;
	with_qp(routed_as(RDMA_PS_TCP));
	return said(b, vx_cm_id_connect(id, &param));
}

static int too_deep_for_the_peer(struct bench *b)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.initiator_depth = 3;
	with_qp(request(2));
	return said(b, vx_cm_id_accept(asked, &param));
}

static int tell_much_by_an_answer(struct bench *b)
{
	struct rdma_conn_param param = telling(137);

	with_qp(request_as(RDMA_PS_UDP, 1));
	return said(b, vx_cm_id_accept(asked, &param));
}

static int tell_much_by_no_answer(struct bench *b)
{
	return said(b, vx_cm_id_reject(request_as(RDMA_PS_UDP, 1), much, 137));
}

/* ---- what kernels answer to one that the emulated device does not mind ---- */

static int route_one(struct bench *b)
{
	resolved(b);
	expect_answer(b);
	return said(b, vx_cm_id_resolve_route(id, SOON));
}

static int connect_again(struct bench *b)
{
	with_qp(routed_as(RDMA_PS_TCP));
	expect_answer(b);
	return said(b, vx_cm_id_connect(id, NULL));
}

static int listen_again(struct bench *b)
{
	resolved(b);
	return said(b, vx_cm_id_listen(listener, 0));
}

static int route_again(struct bench *b)
{
	return said(b, vx_cm_id_resolve_route(routed_as(RDMA_PS_TCP), SOON));
}

static int listen_one(struct bench *b)
{
	must(vx_cm_id_bind_addr(begin(b), address(0, 0)));
	expect_answer(b);
	return said(b, vx_cm_id_listen(id, 0));
}

static int serve_late(struct bench *b)
{
	resolved(b);
	expect_answer(b);
	return said(b, vx_cm_id_set_tos(id, 8));
}

static int path_of_nothing(struct bench *b)
{
	struct ibv_path_data path = { 0 };

	resolved(b);
	expect_answer(b);
	return said(b, vx_cm_id_set_ib_path(id, &path, 1));
}

static int move_one(struct bench *b)
{
	struct vx_cm_channel *other;
	int rc;

	begin(b);
	must(vx_cm_channel_create(NULL, &other));
	expect_answer(b);
	rc = said(b, vx_cm_id_migrate(id, other));
	must(vx_close(other));
	return rc;
}

/* What comes by an event is said by that. */
static int nobody_listens(struct bench *b)
{
	struct vx_cm_event event;

	with_qp(routed_as(RDMA_PS_TCP));
	must(vx_close(listener));
	must(vx_cm_id_connect(id, NULL));
	event = wait_for(RDMA_CM_EVENT_REJECTED);
	vx_cm_event_text(b->sentence, sizeof(b->sentence), &event);
	snprintf(b->raw, sizeof(b->raw), "status %d", event.raw->status);
	must(vx_close(channel));
	return event.status;
}

static const struct mistake mistakes[] = {
	{ "connecting before the address is resolved", connect_nowhere, -EINVAL, "vx_cm_id_resolve_addr() comes before" },
	{ "asking for a route before the address is resolved, where librdmacm crashes", route_to_nowhere, -EINVAL, "vx_cm_id_resolve_addr() comes before" },
	{ "connecting before the route is resolved", connect_without_route, -EINVAL, "route" },
	{ "connecting without a QP", connect_without_qp, -EINVAL, "vx_cm_qp_create() makes one" },
	{ "accepting on an id that nobody has asked for", accept_nobody, -EINVAL, "only that of a CONNECT_REQUEST" },
	{ "accepting without a QP", accept_without_qp, -EINVAL, "conn_param is NULL, and the id has no QP" },
	{ "rejecting on an id that nobody has asked for", reject_nobody, -EINVAL, "only that of a CONNECT_REQUEST" },
	{ "disconnecting what has never had a device", disconnect_nobody, -EINVAL, "never connected" },
	{ "disconnecting what is not connected", disconnect_too_soon, -EINVAL, "the id is not connected" },
	{ "establishing where nobody has answered", establish_nothing, -EINVAL, "CONNECT_RESPONSE" },
	{ "establishing what librdmacm brings up itself", establish_what_librdmacm_does, -EINVAL, "brings it up by itself" },
	{ "telling that data have come of a connection that there is not", notify_nobody, -EINVAL, "does not wait for its last message" },
	{ "telling a connection of another event", notify_of_another_event, -EINVAL, "only IBV_EVENT_COMM_EST" },
	{ "waiting for a request on an asynchronous id", request_of_an_asynchronous_id, -EINVAL, "vx_cm_channel_get_event()" },
	{ "asking what a QP needs for RTR before the peer has answered", attributes_of_nothing, -EINVAL, "has not come so far" },
	{ "57 bytes of private data in a request", tell_much_by_connect, -EINVAL, "room for 56 bytes" },
	{ "181 bytes of private data in a request of datagrams", tell_much_by_a_datagram, -EINVAL, "room for 180 bytes" },
	{ "197 bytes of private data in an answer", tell_much_by_accept, -EINVAL, "room for 196 bytes" },
	{ "149 bytes of private data in a rejection", tell_much_by_reject, -EINVAL, "room for 148 bytes" },
	{ "more reads at a time than the device can", too_deep_for_the_device, -EINVAL, "the device allows 16" },
	{ "asking for one read more at a time than the device can", deeper_than_the_device, -EINVAL, "initiator_depth = 17, and the device allows 16; 255 is as many as it can" },
	{ "accepting with more reads at a time than the peer has offered", too_deep_for_the_peer, -EINVAL, "more than the peer has offered" },
	{ "137 bytes of private data in an answer of datagrams", tell_much_by_an_answer, -EINVAL, "room for 136 bytes" },
	{ "137 bytes of private data in a rejection of datagrams", tell_much_by_no_answer, -EINVAL, "room for 136 bytes" },
	{ "resolving a route once more", route_again, -EINVAL, "the route is resolved already" },
	{ "a route that nobody knows", route_one, -ETIMEDOUT, "the subnet administrator did not answer", "cm_resolve_route:ETIMEDOUT" },
	{ "connecting twice", connect_again, -EISCONN, "the id is connected already", "cm_connect:EISCONN" },
	{ "connecting where nobody listens, as synchronous ids are told", connect_again, -ECONNREFUSED, "the peer refused", "cm_connect:ECONNREFUSED" },
	{ "connecting where nobody answers, as synchronous ids are told", connect_again, -ETIMEDOUT, "the peer does not answer", "cm_connect:ETIMEDOUT" },
	{ "listening on a port that another one listens on", listen_one, -EADDRINUSE, "another id that listens", "cm_listen:EADDRINUSE" },
	{ "listening once more", listen_again, -EINVAL, "the id listens already" },
	{ "an option that comes too late", serve_late, -EINVAL, "this option comes before", "cm_set_option:EINVAL" },
	{ "an option that the kernel does not know", serve_late, -ENOSYS, "the kernel does not know the option", "cm_set_option:ENOSYS" },
	{ "a path without flags", path_of_nothing, -EINVAL, "IBV_PATH_FLAG_GMP", "cm_set_option:EINVAL" },
	{ "moving an id that cannot be moved", move_one, -EINVAL, "keeps for itself", "cm_migrate_id:EINVAL" },
	{ "connecting to a port where nobody listens", nobody_listens, -ECONNREFUSED, "nobody listens at this port" },
	{ "accepting twice", accept_again, -EINVAL, "once, and not any more" },
	{ "accepting what was rejected", accept_after_all, -EINVAL, "only that of a CONNECT_REQUEST has, once" },
	{ "rejecting twice", reject_again, -EINVAL, "only that of a CONNECT_REQUEST has, once" },
	{ "rejecting what was accepted", reject_after_all, -EINVAL, "only that of a CONNECT_REQUEST has, once" },
	{ "connecting by the id of a request, which is accepted", connect_who_asks, -EINVAL, "the id is connected already, or is just being so" },
	{ "connecting by an id that listens", connect_the_listener, -EINVAL, "no device yet" },
	{ "resolving an address by an id that listens", resolve_the_listener, -EINVAL, "the id listens" },
	{ "accepting by the id that listens rather than that of the request", accept_the_listener, -EINVAL, "only ids of a CONNECT_REQUEST are accepted" },
	{ "disconnecting the id that listens", disconnect_the_listener, -EINVAL, "never connected" },
	{ "listening by an id that has a peer", listen_when_resolved, -EINVAL, "one that it connects to" },
	{ "connecting NULL", connect_nothing, -EINVAL, "cm_id is NULL" },
	{ "waiting for an event of NULL", id_of_no_channel, -EINVAL, "channel is NULL" },
	{ "waiting for an event, and no place for it", event_without_a_place, -EINVAL, "event is NULL" },
	{ "rejecting with private data that are nowhere", reject_with_nothing, -EINVAL, "private_data is NULL" },
	{ "connecting with private data that are nowhere, which librdmacm leaves out", connect_with_nothing, -EINVAL, "private_data is NULL" },
	{ "accepting with private data that are nowhere", accept_with_nothing, -EINVAL, "private_data is NULL" },
	{ "moving an id to NULL", move_to_nowhere, -EINVAL, "channel is NULL" },
	{ "asking what a QP needs, and no place for it", attributes_without_a_place, -EINVAL, "qp_attr is NULL" },
	{ "asking what a QP needs for RTS before there is a connection", attributes_of_rts_too_soon, -EINVAL, "has not come so far" },
	{ "a type of service of more than a byte", tos_too_large, -EINVAL, "value is more than 255" },
	{ "a time for acknowledgements of more than 31, which the kernel cuts", timeout_too_long, -EINVAL, "value is more than 31" },
	{ "paths that are nowhere", paths_that_are_nowhere, -EINVAL, "values is NULL, but count = 1" },
	{ "extensions of no vendor", extensions_of_nobody, -EINVAL, "ece.vendor_id is 0" },
	{ "asking for the peer's extensions where librdmacm has agreed on them", extensions_beside_a_qp, -EINVAL, "agrees on extensions by itself" },
	{ "an event of one's own, which came with rdma-core 60", event_of_ones_own, -EOPNOTSUPP, "needs rdma-core 60" },
	{ "looking up a name by an id, which came with rdma-core 60", names_by_an_id, -EOPNOTSUPP, "needs rdma-core 60" },
};

CHAPTER(connecting, "Connections by librdmacm");
