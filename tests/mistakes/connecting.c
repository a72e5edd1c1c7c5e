/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm. */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/cm_post.h>

#include "mistakes.h"

#define OWN 0x0a010001 /* 10.1.0.1, the address of the emulated device */
#define SOON 20000

/* A listener, who asks it, and what comes of that; all of one channel, which each mistake ends with. */
static struct vx_cm_channel *channel;
static struct vx_cm_id *listener, *id, *asked;

static struct sockaddr *address(uint32_t host, uint16_t port)
{
	static struct sockaddr_in in;

	in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(host) } };
	return (struct sockaddr *)&in;
}

static struct vx_cm_id *begin_as(enum rdma_port_space ps)
{
	must(vx_cm_channel_create(NULL, &channel));
	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = ps }, &id));
	return id;
}

static struct vx_cm_id *begin(struct bench *b)
{
	(void)b;
	return begin_as(RDMA_PS_TCP);
}

/* What a mistake returned, and what was said of it. */
static int end(struct bench *b, int rc)
{
	if (!b->sentence[0])
		snprintf(b->sentence, sizeof(b->sentence), "%s", vx_error_text());
	if (rc < 0)
		name_raw_result(b, rc);
	must(vx_close(channel));
	return rc;
}

static struct vx_cm_event wait_for(enum rdma_cm_event_type type)
{
	struct vx_cm_event event;

	must(vx_cm_channel_get_event(channel, SOON, &event));
	must(event.type == type ? 0 : -EPROTO);
	return event;
}

static struct vx_cm_id *resolved_as(enum rdma_port_space ps)
{
	uint16_t port;

	begin_as(ps);
	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = ps }, &listener));
	must(vx_cm_id_bind_addr(listener, address(0, 0)));
	must(vx_cm_id_listen(listener, 0));
	must(vx_cm_id_get_src_port(listener, &port));
	must(vx_cm_id_resolve_addr(id, NULL, address(OWN, port), SOON));
	wait_for(RDMA_CM_EVENT_ADDR_RESOLVED);
	return id;
}

static struct vx_cm_id *resolved(struct bench *b)
{
	(void)b;
	return resolved_as(RDMA_PS_TCP);
}

static struct vx_cm_id *routed_as(enum rdma_port_space ps)
{
	resolved_as(ps);
	must(vx_cm_id_resolve_route(id, SOON));
	wait_for(RDMA_CM_EVENT_ROUTE_RESOLVED);
	return id;
}

static struct vx_qp *with_qp(struct vx_cm_id *of)
{
	struct vx_qp *qp;

	must(vx_cm_qp_create(of, NULL, &qp));
	return qp;
}

/* Asked for a connection, with a depth of reads. */
static struct vx_cm_id *request_as(enum rdma_port_space ps, uint8_t depth)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.responder_resources = depth;
	routed_as(ps);
	with_qp(id);
	must(vx_cm_id_connect(id, &param));
	asked = wait_for(RDMA_CM_EVENT_CONNECT_REQUEST).id;
	return asked;
}

static struct vx_cm_id *request(uint8_t depth)
{
	return request_as(RDMA_PS_TCP, depth);
}

static const char much[255];

static struct rdma_conn_param telling(uint8_t bytes)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.private_data = much;
	param.private_data_len = bytes;
	return param;
}

/* ---- the wrong step ---- */

static int connect_nowhere(struct bench *b)
{
	return end(b, vx_cm_id_connect(begin(b), NULL));
}

static int route_to_nowhere(struct bench *b)
{
	return end(b, vx_cm_id_resolve_route(begin(b), SOON));
}

static int connect_without_route(struct bench *b)
{
	with_qp(resolved(b));
	return end(b, vx_cm_id_connect(id, NULL));
}

static int connect_without_qp(struct bench *b)
{
	return end(b, vx_cm_id_connect(routed_as(RDMA_PS_TCP), NULL));
}

static int accept_nobody(struct bench *b)
{
	with_qp(resolved(b));
	return end(b, vx_cm_id_accept(id, NULL));
}

static int accept_without_qp(struct bench *b)
{
	return end(b, vx_cm_id_accept(request(1), NULL));
}

static int reject_nobody(struct bench *b)
{
	return end(b, vx_cm_id_reject(resolved(b), NULL, 0));
}

static int disconnect_nobody(struct bench *b)
{
	return end(b, vx_cm_id_disconnect(begin(b)));
}

static int disconnect_too_soon(struct bench *b)
{
	return end(b, vx_cm_id_disconnect(resolved(b)));
}

static int establish_nothing(struct bench *b)
{
	return end(b, vx_cm_id_establish(resolved(b)));
}

static int establish_what_librdmacm_does(struct bench *b)
{
	with_qp(resolved(b));
	return end(b, vx_cm_id_establish(id));
}

static int notify_nobody(struct bench *b)
{
	return end(b, vx_cm_id_notify(resolved(b), IBV_EVENT_COMM_EST));
}

static int notify_of_another_event(struct bench *b)
{
	return end(b, vx_cm_id_notify(resolved(b), IBV_EVENT_PATH_MIG));
}

static int request_of_an_asynchronous_id(struct bench *b)
{
	struct vx_cm_id *out;

	return end(b, vx_cm_request_create(begin(b), NULL, &out));
}

static int attributes_of_nothing(struct bench *b)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int mask;

	return end(b, vx_cm_id_init_qp_attr(resolved(b), &attr, &mask));
}

/* ---- what it is made of ---- */

static int qp_too_soon(struct bench *b)
{
	struct vx_qp *out;

	return end(b, vx_cm_qp_create(begin(b), NULL, &out));
}

static int qp_of_another_port_space(struct bench *b)
{
	struct vx_qp *out;

	return end(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .qp_type = IBV_QPT_UD }, &out));
}

static int second_qp(struct bench *b)
{
	struct vx_qp *out;

	with_qp(resolved(b));
	return end(b, vx_cm_qp_create(id, NULL, &out));
}

static int second_srq(struct bench *b)
{
	struct vx_srq *out;

	must(vx_cm_srq_create(resolved(b), NULL, &out));
	return end(b, vx_cm_srq_create(id, NULL, &out));
}

static int qp_without_a_cq(struct bench *b)
{
	struct vx_qp *out;

	return end(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .cap.max_recv_wr = VX_NONE }, &out));
}

static int qp_of_another_context(struct bench *b)
{
	struct vx_qp *out;

	return end(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .send_cq = b->cq, .recv_cq = b->cq }, &out));
}

static int qp_of_a_foreign_pd(struct bench *b)
{
	struct vx_qp *out;

	return end(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .pd = b->pd }, &out));
}

static int qp_too_large(struct bench *b)
{
	struct vx_qp *out;

	return end(b, vx_cm_qp_create(resolved(b), &(struct vx_cm_qp_init){ .cap.max_send_sge = 1000 }, &out));
}

static int pd_too_soon(struct bench *b)
{
	struct vx_pd *out;

	return end(b, vx_cm_id_pd(begin(b), &out));
}

static int send_without_qp(struct bench *b)
{
	static char buf[8];

	return end(b, vx_cm_id_post_send(resolved(b), NULL, buf, sizeof(buf), NULL, IBV_SEND_INLINE));
}

static int wait_without_a_cq(struct bench *b)
{
	struct ibv_wc wc;

	return end(b, vx_cm_id_get_send_comp(resolved(b), &wc));
}

static int port_space_of_sockets(struct bench *b)
{
	begin(b);
	return end(b, vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = 6 }, &listener));
}

/* ---- addresses ---- */

static int bind_to_another_host(struct bench *b)
{
	return end(b, vx_cm_id_bind_addr(begin(b), address(0xc0000201, 0)));
}

static int bind_twice(struct bench *b)
{
	must(vx_cm_id_bind_addr(begin(b), address(0, 0)));
	return end(b, vx_cm_id_bind_addr(id, address(0, 0)));
}

static int bind_to_a_taken_port(struct bench *b)
{
	uint16_t port;

	resolved(b);
	must(vx_cm_id_get_src_port(listener, &port));
	must(vx_cm_id_create(channel, NULL, &asked));
	return end(b, vx_cm_id_bind_addr(asked, address(0, port)));
}

static int bind_to_nothing(struct bench *b)
{
	return end(b, vx_cm_id_bind_addr(begin(b), NULL));
}

static int resolve_what_is_no_address(struct bench *b)
{
	struct sockaddr_in zero = { 0 };

	return end(b, vx_cm_id_resolve_addr(begin(b), NULL, (struct sockaddr *)&zero, SOON));
}

static int resolve_from_what_is_no_address(struct bench *b)
{
	struct sockaddr_in zero = { 0 };

	return end(b, vx_cm_id_resolve_addr(begin(b), (struct sockaddr *)&zero, address(OWN, 1), SOON));
}

static int bind_to_what_is_no_address(struct bench *b)
{
	struct sockaddr_in zero = { 0 };

	return end(b, vx_cm_id_bind_addr(begin(b), (struct sockaddr *)&zero));
}

static int addresses_of_nothing(struct bench *b)
{
	struct vx_cm_addrinfo *out;

	begin(b);
	return end(b, vx_cm_addrinfo_create(NULL, &out));
}

static int service_of_nobody(struct bench *b)
{
	struct vx_cm_addrinfo *out;

	begin(b);
	return end(b, vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "no-such" }, &out));
}

static int group_of_another_family(struct bench *b)
{
	struct sockaddr family = { .sa_family = AF_UNIX };
	struct vx_cm_group *out;

	resolved_as(RDMA_PS_UDP);
	return end(b, vx_cm_group_create(id, &(struct vx_cm_group_init){ .addr = &family }, &out));
}

static int ah_of_a_connection(struct bench *b)
{
	struct vx_cm_event event;
	struct vx_ah *out;

	request(1);
	event = (struct vx_cm_event){ .type = RDMA_CM_EVENT_ESTABLISHED, .param = VX_CM_PARAM_CONN, .id = asked };
	return end(b, vx_cm_event_ah(&event, &out));
}

static int ah_of_a_request(struct bench *b)
{
	struct vx_cm_event event;
	struct vx_ah *out;

	with_qp(routed_as(RDMA_PS_UDP));
	must(vx_cm_id_connect(id, NULL));
	event = wait_for(RDMA_CM_EVENT_CONNECT_REQUEST);
	return end(b, vx_cm_event_ah(&event, &out));
}

static int ah_without_a_place(struct bench *b)
{
	const struct rdma_ud_param ud = { .qp_num = 7 };
	struct vx_cm_event event;

	event = (struct vx_cm_event){ .type = RDMA_CM_EVENT_ESTABLISHED, .param = VX_CM_PARAM_UD, .id = resolved(b), .ud = &ud };
	return end(b, vx_cm_event_ah(&event, NULL));
}

/* ---- numbers ---- */

static int tell_much_by_connect(struct bench *b)
{
	struct rdma_conn_param param = telling(57);

	with_qp(routed_as(RDMA_PS_TCP));
	return end(b, vx_cm_id_connect(id, &param));
}

static int tell_much_by_a_datagram(struct bench *b)
{
	struct rdma_conn_param param = telling(181);

	with_qp(routed_as(RDMA_PS_UDP));
	return end(b, vx_cm_id_connect(id, &param));
}

static int tell_much_by_accept(struct bench *b)
{
	struct rdma_conn_param param = telling(197);

	with_qp(request(1));
	return end(b, vx_cm_id_accept(asked, &param));
}

static int tell_much_by_reject(struct bench *b)
{
	return end(b, vx_cm_id_reject(request(1), much, 149));
}

static int too_deep_for_the_device(struct bench *b)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.responder_resources = 200;
	with_qp(routed_as(RDMA_PS_TCP));
	return end(b, vx_cm_id_connect(id, &param));
}

static int too_deep_for_the_peer(struct bench *b)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.initiator_depth = 3;
	with_qp(request(2));
	return end(b, vx_cm_id_accept(asked, &param));
}

static int tell_much_by_an_answer(struct bench *b)
{
	struct rdma_conn_param param = telling(137);

	with_qp(request_as(RDMA_PS_UDP, 1));
	return end(b, vx_cm_id_accept(asked, &param));
}

static int tell_much_by_no_answer(struct bench *b)
{
	return end(b, vx_cm_id_reject(request_as(RDMA_PS_UDP, 1), much, 137));
}

/* ---- what kernels answer to one that the emulated device does not mind ---- */

static int make_one(struct bench *b)
{
	begin(b);
	expect_answer(b);
	return end(b, vx_cm_id_create(channel, NULL, &listener));
}

static int bind_one(struct bench *b)
{
	begin(b);
	expect_answer(b);
	return end(b, vx_cm_id_bind_addr(id, address(0, 80)));
}

static int resolve_one(struct bench *b)
{
	begin(b);
	expect_answer(b);
	return end(b, vx_cm_id_resolve_addr(id, NULL, address(0xc0000209, 7471), SOON));
}

static int resolve_again(struct bench *b)
{
	resolved(b);
	return end(b, vx_cm_id_resolve_addr(id, NULL, address(OWN, 7471), SOON));
}

static int route_one(struct bench *b)
{
	resolved(b);
	expect_answer(b);
	return end(b, vx_cm_id_resolve_route(id, SOON));
}

static int connect_again(struct bench *b)
{
	with_qp(routed_as(RDMA_PS_TCP));
	expect_answer(b);
	return end(b, vx_cm_id_connect(id, NULL));
}

static int listen_again(struct bench *b)
{
	resolved(b);
	return end(b, vx_cm_id_listen(listener, 0));
}

static int route_again(struct bench *b)
{
	return end(b, vx_cm_id_resolve_route(routed_as(RDMA_PS_TCP), SOON));
}

static int listen_one(struct bench *b)
{
	must(vx_cm_id_bind_addr(begin(b), address(0, 0)));
	expect_answer(b);
	return end(b, vx_cm_id_listen(id, 0));
}

static int serve_late(struct bench *b)
{
	resolved(b);
	expect_answer(b);
	return end(b, vx_cm_id_set_tos(id, 8));
}

static int path_of_nothing(struct bench *b)
{
	struct ibv_path_data path = { 0 };

	resolved(b);
	expect_answer(b);
	return end(b, vx_cm_id_set_ib_path(id, &path, 1));
}

static int join_as(struct bench *b, enum rdma_port_space ps)
{
	struct vx_cm_group *out;

	resolved_as(ps);
	expect_answer(b);
	return end(b, vx_cm_group_create(id, &(struct vx_cm_group_init){ .addr = address(OWN, 0) }, &out));
}

static int group_of_a_connection(struct bench *b)
{
	return join_as(b, RDMA_PS_TCP);
}

static int group_of_nobody(struct bench *b)
{
	return join_as(b, RDMA_PS_UDP);
}

static int move_one(struct bench *b)
{
	struct vx_cm_channel *other;
	int rc;

	begin(b);
	must(vx_cm_channel_create(NULL, &other));
	expect_answer(b);
	rc = end(b, vx_cm_id_migrate(id, other));
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
	{ "making the QP of an id that has no device yet", qp_too_soon, -EINVAL, "no device yet" },
	{ "making a QP of UD on an id of connections", qp_of_another_port_space, -EINVAL, "RDMA_PS_TCP has IBV_QPT_RC" },
	{ "making a second QP of an id", second_qp, -EINVAL, "has a QP already" },
	{ "making a second SRQ of an id", second_srq, -EINVAL, "has an SRQ already" },
	{ "making a QP without a CQ that librdmacm would make none for", qp_without_a_cq, -EINVAL, "recv_cq is NULL" },
	{ "giving the QP of an id a CQ of another context", qp_of_another_context, -EINVAL, "send_cq is of another context" },
	{ "giving the QP of an id a PD of another context", qp_of_a_foreign_pd, -EINVAL, "pd is of another context" },
	{ "asking for a QP of an id with more entries of a request than it can have", qp_too_large, -EINVAL, "max_send_sge = 1000" },
	{ "asking an id for its PD before it has a device", pd_too_soon, -ENOENT, "there is no PD yet: the address of the id must be resolved" },
	{ "sending by an id without a QP", send_without_qp, -EINVAL, "the id has no QP" },
	{ "waiting for a completion of an id without CQs", wait_without_a_cq, -EINVAL, "librdmacm has made no CQ" },
	{ "a port space of sockets", port_space_of_sockets, -EINVAL, "none of enum rdma_port_space" },
	{ "binding an id to an address of another host", bind_to_another_host, -EADDRNOTAVAIL, "there are mlx5_0" },
	{ "binding an id twice", bind_twice, -EINVAL, "the id is bound already" },
	{ "binding an id to a port that another one has", bind_to_a_taken_port, -EADDRINUSE, "the port is in use" },
	{ "binding an id to no address", bind_to_nothing, -EINVAL, "addr is NULL" },
	{ "binding an id to an address without a family", bind_to_what_is_no_address, -EINVAL, "addr is of none of the families" },
	{ "resolving an address without a family", resolve_what_is_no_address, -EINVAL, "dst_addr is of none of the families" },
	{ "resolving from an address without a family", resolve_from_what_is_no_address, -EINVAL, "src_addr is of none of the families" },
	{ "asking for addresses of nothing", addresses_of_nothing, -EINVAL, "nothing is asked for" },
	{ "asking for a service that nobody knows", service_of_nobody, -ENOENT, "service no-such" },
	{ "a multicast group of another address family", group_of_another_family, -EAFNOSUPPORT, "none of AF_INET" },
	{ "an AH by the event of a connection", ah_of_a_connection, -EINVAL, "no peer of a UD id" },
	{ "an AH by the event of a request for datagrams", ah_of_a_request, -EINVAL, "vx_ah_create_from_wc()" },
	{ "an AH by an event, and no place for it", ah_without_a_place, -EINVAL, "vx_cm_event_ah: Invalid argument: out is NULL" },
	{ "57 bytes of private data in a request", tell_much_by_connect, -EINVAL, "room for 56 bytes" },
	{ "181 bytes of private data in a request of datagrams", tell_much_by_a_datagram, -EINVAL, "room for 180 bytes" },
	{ "197 bytes of private data in an answer", tell_much_by_accept, -EINVAL, "room for 196 bytes" },
	{ "149 bytes of private data in a rejection", tell_much_by_reject, -EINVAL, "room for 148 bytes" },
	{ "more reads at a time than the device can", too_deep_for_the_device, -EINVAL, "the device allows 16" },
	{ "accepting with more reads at a time than the peer has offered", too_deep_for_the_peer, -EINVAL, "more than the peer has offered" },
	{ "137 bytes of private data in an answer of datagrams", tell_much_by_an_answer, -EINVAL, "room for 136 bytes" },
	{ "137 bytes of private data in a rejection of datagrams", tell_much_by_no_answer, -EINVAL, "room for 136 bytes" },
	{ "making an id where the kernel has no rdma_ucm", make_one, -ENODEV, "modprobe rdma_ucm", "cm_create_id:ENODEV" },
	{ "making an id without rights", make_one, -EACCES, "/dev/infiniband/rdma_cm may not be opened", "cm_create_id:EACCES" },
	{ "binding an id to a port below 1024, as nobody special", bind_one, -EACCES, "CAP_NET_BIND_SERVICE", "cm_bind:EACCES" },
	{ "resolving an address once more", resolve_again, -EINVAL, "is not resolved again" },
	{ "resolving an address from a port below 1024", resolve_one, -EACCES, "CAP_NET_BIND_SERVICE", "cm_resolve_addr:EACCES" },
	{ "resolving an address from a port that another one has", resolve_one, -EADDRINUSE, "the source's port is in use", "cm_resolve_addr:EADDRINUSE" },
	{ "an address that no route leads to", resolve_one, -ENETUNREACH, "no route leads to dst_addr", "cm_resolve_addr:ENETUNREACH" },
	{ "an address that nobody answers for", resolve_one, -ETIMEDOUT, "nobody answers for dst_addr", "cm_resolve_addr:ETIMEDOUT" },
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
	{ "a multicast group of a connection", group_of_a_connection, -EINVAL, "only ids of RDMA_PS_UDP", "cm_join_mcast:EINVAL" },
	{ "a multicast group at the address of a host", group_of_nobody, -EINVAL, "addr is no group's", "cm_join_mcast:EINVAL" },
	{ "moving an id that cannot be moved", move_one, -EINVAL, "keeps for itself", "cm_migrate_id:EINVAL" },
	{ "connecting to a port where nobody listens", nobody_listens, -ECONNREFUSED, "nobody listens at this port" },
};

CHAPTER(connecting, "Connections by librdmacm");
