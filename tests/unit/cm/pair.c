/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What tests of connections share. */

#include <arpa/inet.h>
#include <stdlib.h>

#include "pair.h"

const char *own_address(void)
{
	const char *said = getenv("CM_ADDRESS");

	return said ? said : "192.0.2.1";
}

struct sockaddr *address_of(const struct vx_cm_id *listener)
{
	static struct sockaddr_in address;
	uint16_t port;

	made(vx_cm_id_get_src_port(listener, &port));
	cr_assert_neq(port, 0);
	address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	cr_assert_eq(inet_pton(AF_INET, own_address(), &address.sin_addr), 1);
	return (struct sockaddr *)&address;
}

struct vx_cm_event next_event(struct vx_cm_channel *channel, enum rdma_cm_event_type type)
{
	struct vx_cm_event event;
	char text[256];

	made(vx_cm_channel_get_event(channel, WITHIN, &event));
	vx_cm_event_text(text, sizeof(text), &event);
	cr_assert_eq(event.type, type, "%s", text);
	return event;
}

void pair_resolve(struct pair *pair, enum rdma_port_space ps)
{
	struct sockaddr_in any = { .sin_family = AF_INET };

	*pair = (struct pair){ 0 };
	made(vx_cm_channel_create(NULL, &pair->channel));
	made(vx_cm_id_create(pair->channel, &(struct vx_cm_id_init){ .ps = ps }, &pair->listener));
	made(vx_cm_id_bind_addr(pair->listener, (struct sockaddr *)&any));
	made(vx_cm_id_listen(pair->listener, 0));
	made(vx_cm_id_create(pair->channel, &(struct vx_cm_id_init){ .ps = ps }, &pair->active));
	made(vx_cm_id_resolve_addr(pair->active, NULL, address_of(pair->listener), WITHIN));
	next_event(pair->channel, RDMA_CM_EVENT_ADDR_RESOLVED);
}

void pair_connect(struct pair *pair)
{
	struct vx_cm_event event;

	pair_resolve(pair, RDMA_PS_TCP);
	made(vx_cm_id_resolve_route(pair->active, WITHIN));
	next_event(pair->channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(pair->active, NULL, &pair->active_qp));
	made(vx_cm_id_connect(pair->active, NULL));
	event = next_event(pair->channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	pair->passive = event.id;
	made(vx_cm_qp_create(pair->passive, NULL, &pair->passive_qp));
	made(vx_cm_id_accept(pair->passive, NULL));
	next_event(pair->channel, RDMA_CM_EVENT_ESTABLISHED);
	next_event(pair->channel, RDMA_CM_EVENT_ESTABLISHED);
}

struct vx_mr *pair_region(const struct vx_cm_id *id, char *buf, size_t size)
{
	struct vx_pd *lent;
	struct vx_mr *mr;

	made(vx_cm_id_pd(id, &lent));
	made(vx_mr_create(lent, &(struct vx_mr_init){ .addr = buf, .length = size, .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	return mr;
}
