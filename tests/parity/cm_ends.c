/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <arpa/inet.h>
#include <stdlib.h>

#include "cm_ends.h"

const char *own_address(void)
{
	const char *said = getenv("CM_ADDRESS");

	return said ? said : "192.0.2.1";
}

struct sockaddr *address(uint16_t port)
{
	static struct sockaddr_in in;

	in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	cr_assert_eq(inet_pton(AF_INET, own_address(), &in.sin_addr), 1);
	return (struct sockaddr *)&in;
}

struct vx_cm_event expect(const struct ends *ends, enum rdma_cm_event_type type)
{
	struct vx_cm_event event;
	char text[256];

	made(vx_cm_channel_get_event(ends->channel, WITHIN, &event));
	vx_cm_event_text(text, sizeof(text), &event);
	cr_assert_eq(event.type, type, "%s", text);
	return event;
}

void make_memory(struct end *end)
{
	struct vx_pd *lent;

	made(vx_cm_id_pd(end->id, &lent));
	made(vx_mr_create(lent, &(struct vx_mr_init){ .length = GRH_ROOM + ROOM, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
						      IBV_ACCESS_REMOTE_WRITE }, &end->mr));
	end->bytes = vx_mr_addr(end->mr);
}

struct ends routed(enum rdma_port_space ps)
{
	struct ends ends = { 0 };
	uint16_t port;

	made(vx_cm_channel_create(NULL, &ends.channel));
	made(vx_cm_id_create(ends.channel, &(struct vx_cm_id_init){ .ps = ps }, &ends.listener));
	made(vx_cm_id_bind_addr(ends.listener, address(0)));
	made(vx_cm_id_listen(ends.listener, 0));
	made(vx_cm_id_get_src_port(ends.listener, &port));
	made(vx_cm_id_create(ends.channel, &(struct vx_cm_id_init){ .ps = ps }, &ends.active.id));
	made(vx_cm_id_resolve_addr(ends.active.id, NULL, address(port), WITHIN));
	expect(&ends, RDMA_CM_EVENT_ADDR_RESOLVED);
	made(vx_cm_id_resolve_route(ends.active.id, WITHIN));
	expect(&ends, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return ends;
}
