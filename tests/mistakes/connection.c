/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <arpa/inet.h>
#include <stdio.h>

#include "connection.h"

struct vx_cm_channel *channel;
struct vx_cm_id *listener, *id, *asked;

struct sockaddr *address(uint32_t host, uint16_t port)
{
	static struct sockaddr_in in;

	in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(host) } };
	return (struct sockaddr *)&in;
}

struct vx_cm_id *begin_as(enum rdma_port_space ps)
{
	must(vx_cm_channel_create(NULL, &channel));
	must(vx_cm_id_create(channel, &(struct vx_cm_id_init){ .ps = ps }, &id));
	return id;
}

struct vx_cm_id *begin(struct bench *b)
{
	(void)b;
	return begin_as(RDMA_PS_TCP);
}

/* What a mistake returned, and what was said of it. */
int said(struct bench *b, int rc)
{
	if (!b->sentence[0])
		snprintf(b->sentence, sizeof(b->sentence), "%s", vx_error_text());
	if (rc < 0)
		name_raw_result(b, rc);
	must(vx_close(channel));
	return rc;
}

struct vx_cm_event wait_for(enum rdma_cm_event_type type)
{
	struct vx_cm_event event;

	must(vx_cm_channel_get_event(channel, SOON, &event));
	must(event.type == type ? 0 : -EPROTO);
	return event;
}

struct vx_cm_id *resolved_as(enum rdma_port_space ps)
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

struct vx_cm_id *resolved(struct bench *b)
{
	(void)b;
	return resolved_as(RDMA_PS_TCP);
}

struct vx_cm_id *routed_as(enum rdma_port_space ps)
{
	resolved_as(ps);
	must(vx_cm_id_resolve_route(id, SOON));
	wait_for(RDMA_CM_EVENT_ROUTE_RESOLVED);
	return id;
}

struct vx_qp *with_qp(struct vx_cm_id *of)
{
	struct vx_qp *qp;

	must(vx_cm_qp_create(of, NULL, &qp));
	return qp;
}

/* Asked for a connection, with a depth of reads. */
struct vx_cm_id *request_as(enum rdma_port_space ps, uint8_t depth)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.responder_resources = depth;
	routed_as(ps);
	with_qp(id);
	must(vx_cm_id_connect(id, &param));
	asked = wait_for(RDMA_CM_EVENT_CONNECT_REQUEST).id;
	return asked;
}

struct vx_cm_id *request(uint8_t depth)
{
	return request_as(RDMA_PS_TCP, depth);
}

const char much[255];

struct rdma_conn_param telling(uint8_t bytes)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.private_data = much;
	param.private_data_len = bytes;
	return param;
}
