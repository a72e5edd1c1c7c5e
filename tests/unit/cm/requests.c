/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Requests that come to nothing: whoever asked is told, and nothing of them is left. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

#include "pair.h"

TestSuite(cm_requests, .init = open_device, .fini = close_device);

/* ---- endpoints ---- */

static struct vx_cm_id *listening(const struct ibv_qp_init_attr *attr)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };
	struct vx_cm_addrinfo *addresses;
	struct vx_cm_id *id;

	made(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = own_address(), .service = "7471", .hints = &hints }, &addresses));
	made(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = addresses, .qp_init_attr = (struct ibv_qp_init_attr *)(uintptr_t)attr }, &id));
	made(vx_close(addresses));
	made(vx_cm_id_listen(id, 4));
	return id;
}

/* An id of a channel that asks, as the endpoint would wait for the answer. */
static struct vx_cm_id *asking(struct vx_cm_channel *channel, const struct vx_cm_id *listener)
{
	struct vx_cm_id *id;
	struct vx_qp *qp;

	made(vx_cm_id_create(channel, NULL, &id));
	made(vx_cm_id_resolve_addr(id, NULL, address_of(listener), WITHIN));
	next_event(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	made(vx_cm_id_resolve_route(id, WITHIN));
	next_event(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	made(vx_cm_qp_create(id, NULL, &qp));
	made(vx_cm_id_connect(id, NULL));
	return id;
}

/* librdmacm makes the QP before it gives the new id away, and forgets that where it cannot. */
Test(cm_requests, whose_qp_cannot_be_made_are_rejected_by_the_endpoint)
{
	struct ibv_qp_init_attr attr = { .cap = { 100000000, 4, 1, 1, 0 } };
	struct vx_cm_id *listener = listening(&attr), *request;
	struct vx_cm_channel *channel;
	int i;

	made(vx_cm_channel_create(NULL, &channel));
	for (i = 0; i < 2; i++) {
		asking(channel, listener);
		cr_expect_eq(vx_cm_request_create(listener, NULL, &request), -EINVAL, "%s", vx_error_text());
		expect_reason("the QP by qp_init_attr could not be made");
		cr_expect_eq(next_event(channel, RDMA_CM_EVENT_REJECTED).reject, 28);
	}
	made(vx_close(channel));
	made(vx_close(listener));
}
