/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm: the wrong step. */

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

static struct vx_cm_event rejected(void)
{
	with_qp(routed_as(RDMA_PS_TCP));
	must(vx_close(listener));
	must(vx_cm_id_connect(id, NULL));
	return wait_for(RDMA_CM_EVENT_REJECTED);
}

static int connect_once_more(struct bench *b)
{
	rejected();
	return said(b, vx_cm_id_connect(id, NULL));
}

/* What comes by an event is said by that. */
static int nobody_listens(struct bench *b)
{
	struct vx_cm_event event = rejected();

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
	{ "connecting once more, when the first try was rejected", connect_once_more, -EINVAL, "has failed to: for another try close it" },
	{ "connecting to a port where nobody listens", nobody_listens, -ECONNREFUSED, "nobody listens at this port" },
	{ "accepting twice", accept_again, -EINVAL, "once, and not any more" },
	{ "accepting what was rejected", accept_after_all, -EINVAL, "only that of a CONNECT_REQUEST has, once" },
	{ "rejecting twice", reject_again, -EINVAL, "only that of a CONNECT_REQUEST has, once" },
	{ "rejecting what was accepted", reject_after_all, -EINVAL, "only that of a CONNECT_REQUEST has, once" },
	{ "connecting by the id of a request, which is accepted", connect_who_asks, -EINVAL, "the id is connected already, is just being so" },
	{ "connecting by an id that listens", connect_the_listener, -EINVAL, "no device yet" },
	{ "resolving an address by an id that listens", resolve_the_listener, -EINVAL, "the id listens" },
	{ "accepting by the id that listens rather than that of the request", accept_the_listener, -EINVAL, "only ids of a CONNECT_REQUEST are accepted" },
	{ "disconnecting the id that listens", disconnect_the_listener, -EINVAL, "never connected" },
	{ "listening by an id that has a peer", listen_when_resolved, -EINVAL, "one that it connects to" },
};

CHAPTER(connecting, "Connections by librdmacm");
