/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connections by librdmacm: what its functions are given. */

#include <stdio.h>

#include "connection.h"

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

static const struct mistake mistakes[] = {
	{ "57 bytes of private data in a request", tell_much_by_connect, -EINVAL, "room for 56 bytes" },
	{ "181 bytes of private data in a request of datagrams", tell_much_by_a_datagram, -EINVAL, "room for 180 bytes" },
	{ "197 bytes of private data in an answer", tell_much_by_accept, -EINVAL, "more than the 196 bytes that the answer to a request for a connection has room for" },
	{ "149 bytes of private data in a rejection", tell_much_by_reject, -EINVAL, "room for 148 bytes" },
	{ "more reads at a time than the device can", too_deep_for_the_device, -EINVAL, "the device allows 16" },
	{ "asking for one read more at a time than the device can", deeper_than_the_device, -EINVAL, "initiator_depth = 17, and the device allows 16; 255 is as many as it can" },
	{ "accepting with more reads at a time than the peer has offered", too_deep_for_the_peer, -EINVAL, "more than the peer has offered" },
	{ "137 bytes of private data in an answer of datagrams", tell_much_by_an_answer, -EINVAL, "more than the 136 bytes that the answer to a request of datagrams has room for" },
	{ "137 bytes of private data in a rejection of datagrams", tell_much_by_no_answer, -EINVAL, "room for 136 bytes" },
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

CHAPTER(connecting_values, "What connections by librdmacm are given");
