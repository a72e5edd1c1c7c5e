/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Ids of librdmacm and their addresses: of hosts, of peers, and of groups. */

#include <arpa/inet.h>
#include <stdio.h>

#include "connection.h"

/* ---- addresses ---- */

static int bind_to_another_host(struct bench *b)
{
	return said(b, vx_cm_id_bind_addr(begin(b), address(0xc0000201, 0)));
}

static int bind_twice(struct bench *b)
{
	must(vx_cm_id_bind_addr(begin(b), address(0, 0)));
	return said(b, vx_cm_id_bind_addr(id, address(0, 0)));
}

static int bind_to_a_taken_port(struct bench *b)
{
	uint16_t port;

	resolved(b);
	must(vx_cm_id_get_src_port(listener, &port));
	must(vx_cm_id_create(channel, NULL, &asked));
	return said(b, vx_cm_id_bind_addr(asked, address(0, port)));
}

static int bind_to_nothing(struct bench *b)
{
	return said(b, vx_cm_id_bind_addr(begin(b), NULL));
}

static int resolve_what_is_no_address(struct bench *b)
{
	struct sockaddr_in zero = { 0 };

	return said(b, vx_cm_id_resolve_addr(begin(b), NULL, (struct sockaddr *)&zero, SOON));
}

static int resolve_from_what_is_no_address(struct bench *b)
{
	struct sockaddr_in zero = { 0 };

	return said(b, vx_cm_id_resolve_addr(begin(b), (struct sockaddr *)&zero, address(OWN, 1), SOON));
}

static int bind_to_what_is_no_address(struct bench *b)
{
	struct sockaddr_in zero = { 0 };

	return said(b, vx_cm_id_bind_addr(begin(b), (struct sockaddr *)&zero));
}

static int addresses_of_nothing(struct bench *b)
{
	struct vx_cm_addrinfo *out;

	begin(b);
	return said(b, vx_cm_addrinfo_create(NULL, &out));
}

static int service_of_nobody(struct bench *b)
{
	struct vx_cm_addrinfo *out;

	begin(b);
	return said(b, vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "no-such" }, &out));
}

static int group_of_another_family(struct bench *b)
{
	struct sockaddr family = { .sa_family = AF_UNIX };
	struct vx_cm_group *out;

	resolved_as(RDMA_PS_UDP);
	return said(b, vx_cm_group_create(id, &(struct vx_cm_group_init){ .addr = &family }, &out));
}

static int ah_of_a_connection(struct bench *b)
{
	struct vx_cm_event event;
	struct vx_ah *out;

	request(1);
	event = (struct vx_cm_event){ .type = RDMA_CM_EVENT_ESTABLISHED, .param = VX_CM_PARAM_CONN, .id = asked };
	return said(b, vx_cm_event_ah(&event, &out));
}

static int ah_of_a_request(struct bench *b)
{
	struct vx_cm_event event;
	struct vx_ah *out;

	with_qp(routed_as(RDMA_PS_UDP));
	must(vx_cm_id_connect(id, NULL));
	event = wait_for(RDMA_CM_EVENT_CONNECT_REQUEST);
	return said(b, vx_cm_event_ah(&event, &out));
}

static int ah_without_a_place(struct bench *b)
{
	const struct rdma_ud_param ud = { .qp_num = 7 };
	struct vx_cm_event event;

	event = (struct vx_cm_event){ .type = RDMA_CM_EVENT_ESTABLISHED, .param = VX_CM_PARAM_UD, .id = resolved(b), .ud = &ud };
	return said(b, vx_cm_event_ah(&event, NULL));
}

/* ---- what kernels answer to one that the emulated device does not mind ---- */

static int bind_one(struct bench *b)
{
	begin(b);
	expect_answer(b);
	return said(b, vx_cm_id_bind_addr(id, address(0, 80)));
}

static int resolve_one(struct bench *b)
{
	begin(b);
	expect_answer(b);
	return said(b, vx_cm_id_resolve_addr(id, NULL, address(0xc0000209, 7471), SOON));
}

static int resolve_again(struct bench *b)
{
	resolved(b);
	return said(b, vx_cm_id_resolve_addr(id, NULL, address(OWN, 7471), SOON));
}

static int join_as(struct bench *b, enum rdma_port_space ps)
{
	struct vx_cm_group *out;

	resolved_as(ps);
	expect_answer(b);
	return said(b, vx_cm_group_create(id, &(struct vx_cm_group_init){ .addr = address(OWN, 0) }, &out));
}

static int group_of_a_connection(struct bench *b)
{
	return join_as(b, RDMA_PS_TCP);
}

static int group_of_nobody(struct bench *b)
{
	return join_as(b, RDMA_PS_UDP);
}

static int name_that_is_no_number(struct bench *b)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_NUMERICHOST };
	struct vx_cm_addrinfo *out;

	begin(b);
	return said(b, vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "server", .service = "7471", .hints = &hints }, &out));
}

static int port_beyond_all(struct bench *b)
{
	struct vx_cm_addrinfo *out;

	begin(b);
	return said(b, vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "65536" }, &out));
}

static int type_of_another_port_space(struct bench *b)
{
	const struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP, .ai_qp_type = IBV_QPT_UD };
	struct vx_cm_addrinfo *out;

	begin(b);
	return said(b, vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = "10.1.0.1", .service = "7471", .hints = &hints }, &out));
}

static int contexts_without_a_place(struct bench *b)
{
	size_t count;

	begin(b);
	return said(b, vx_cm_contexts(NULL, 3, &count));
}

static int ah_of_what_was_acknowledged(struct bench *b)
{
	struct vx_cm_event event;
	struct vx_ah *out;

	with_qp(request_as(RDMA_PS_UDP, 1));
	must(vx_cm_id_accept(asked, NULL));
	event = wait_for(RDMA_CM_EVENT_ESTABLISHED);
	vx_cm_event_ack(&event);
	return said(b, vx_cm_event_ah(&event, &out));
}

static int join(struct bench *b, struct vx_cm_group_init init)
{
	struct vx_cm_group *out;

	return said(b, vx_cm_group_create(id, &init, &out));
}

static int group_too_soon(struct bench *b)
{
	begin_as(RDMA_PS_UDP);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0) });
}

static int group_too_late(struct bench *b)
{
	routed_as(RDMA_PS_UDP);
	expect_answer(b);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0) });
}

static int group_while_resolving(struct bench *b)
{
	resolved_as(RDMA_PS_UDP);
	expect_answer(b);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0) });
}

static int group_of_who_is_bound(struct bench *b)
{
	begin_as(RDMA_PS_UDP);
	must(vx_cm_id_bind_addr(id, address(OWN, 0)));
	expect_answer(b);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0) });
}

static int group_of_who_listens(struct bench *b)
{
	begin_as(RDMA_PS_UDP);
	must(vx_cm_id_bind_addr(id, address(OWN, 0)));
	must(vx_cm_id_listen(id, 0));
	expect_answer(b);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0) });
}

static int group_of_a_request(struct bench *b)
{
	id = request_as(RDMA_PS_UDP, 1);
	expect_answer(b);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0) });
}

static int group_joined_somehow(struct bench *b)
{
	resolved_as(RDMA_PS_UDP);
	expect_answer(b);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0), .join_flags = 7 });
}

static int group_only_to_send_to(struct bench *b)
{
	resolved_as(RDMA_PS_UDP);
	expect_answer(b);
	return join(b, (struct vx_cm_group_init){ .addr = address(0xe0010203, 0), .join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER });
}

static int group_without_an_address(struct bench *b)
{
	resolved_as(RDMA_PS_UDP);
	return join(b, (struct vx_cm_group_init){ 0 });
}

/* What comes by an event is said by that. */
static int told_by_event(struct bench *b, uint32_t host, int timeout_ms)
{
	struct vx_cm_event event;

	must(vx_cm_id_resolve_addr(begin(b), NULL, address(host, 7471), timeout_ms));
	event = wait_for(RDMA_CM_EVENT_ADDR_ERROR);
	vx_cm_event_text(b->sentence, sizeof(b->sentence), &event);
	snprintf(b->raw, sizeof(b->raw), "status %d", event.raw->status);
	must(vx_close(channel));
	return event.status;
}

static int address_of_another_network(struct bench *b)
{
	return told_by_event(b, 0xc0000209, SOON);
}

static int from_another_host(struct bench *b)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr = { htonl(0xc0000201) } };

	return said(b, vx_cm_id_resolve_addr(begin(b), (struct sockaddr *)&from, address(OWN, 7471), SOON));
}

static const struct mistake mistakes[] = {
	{ "binding an id to an address of another host", bind_to_another_host, -EADDRNOTAVAIL, "there are 10.1.0.1 (mlx5_0/1)" },
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
	{ "binding an id to a port below 1024, as nobody special", bind_one, -EACCES, "CAP_NET_BIND_SERVICE", "cm_bind:EACCES" },
	{ "resolving an address once more", resolve_again, -EINVAL, "is not resolved again" },
	{ "resolving an address from a port below 1024", resolve_one, -EACCES, "CAP_NET_BIND_SERVICE", "cm_resolve_addr:EACCES" },
	{ "resolving an address from a port that another one has", resolve_one, -EADDRINUSE, "the source's port is in use", "cm_resolve_addr:EADDRINUSE" },
	{ "an address that no route leads to", resolve_one, -ENETUNREACH, "no route leads to dst_addr", "cm_resolve_addr:ENETUNREACH" },
	{ "an address that nobody answers for", resolve_one, -ETIMEDOUT, "nobody answers for dst_addr", "cm_resolve_addr:ETIMEDOUT" },
	{ "a multicast group of a connection", group_of_a_connection, -EINVAL, "only ids of RDMA_PS_UDP" },
	{ "a multicast group at the address of a host", group_of_nobody, -EINVAL, "addr is no group's" },
	{ "a name for an address that is to be a number", name_that_is_no_number, -ENOENT, "node server" },
	{ "a port beyond all, of which getaddrinfo(3) would make another", port_beyond_all, -EINVAL, "service is no port, which are" },
	{ "addresses for UD on connections", type_of_another_port_space, -EINVAL, "RDMA_PS_TCP has IBV_QPT_RC" },
	{ "librdmacm's contexts, and no place for them", contexts_without_a_place, -EINVAL, "out is NULL" },
	{ "an AH by an event that was acknowledged", ah_of_what_was_acknowledged, -EINVAL, "the event was acknowledged" },
	{ "a multicast group before there is a device", group_too_soon, -EINVAL, "no device yet" },
	{ "a multicast group after the route", group_too_late, -EINVAL, "groups are joined before that" },
	{ "a multicast group of an id whose address is being resolved", group_while_resolving, -EINVAL, "is its address just being resolved?", "cm_join_mcast:EINVAL" },
	{ "a multicast group of an id that listens", group_of_who_listens, -EINVAL, "does the id listen?" },
	{ "a multicast group that an id which is bound is refused", group_of_who_is_bound, -EINVAL, "does the id listen?", "cm_join_mcast:EINVAL" },
	{ "a multicast group of the id of a request", group_of_a_request, -EINVAL, "of a request" },
	{ "a multicast group that is joined somehow", group_joined_somehow, -EINVAL, "none of enum rdma_cm_mc_join_flags" },
	{ "a multicast group to send to alone, where the subnet manager has none", group_only_to_send_to, -EOPNOTSUPP, "only sent to", "cm_join_mcast:EOPNOTSUPP" },
	{ "a multicast group without an address", group_without_an_address, -EINVAL, "addr is NULL" },
	{ "an address that no device leads to, as an event tells", address_of_another_network, -ENODEV, "no RDMA device of this host leads to the address" },
	{ "resolving from an address of another host", from_another_host, -EADDRNOTAVAIL, "there are 10.1.0.1 (mlx5_0/1)" },
};

CHAPTER(connecting_addresses, "Addresses and groups of librdmacm");
