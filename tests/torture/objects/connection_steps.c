/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "connection_steps.h"

#define SOON_MS 20000 /* on a busy machine */

struct vx_cm_id *listener, *active, *passive;
struct vx_cm_addrinfo *addresses;
struct vx_cm_server *server;
struct rdma_cm_id *bare;
struct vx_ctx *lent;

/* ---- what is there ---- */

const char *own_address(void)
{
	const char *said = getenv("CM_ADDRESS");

	return said ? said : "10.1.0.1";
}

static struct sockaddr *address_at(uint16_t port)
{
	static struct sockaddr_in address;

	address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = port };
	inet_pton(AF_INET, own_address(), &address.sin_addr);
	return (struct sockaddr *)&address;
}

static struct rdma_event_channel *kept_channel;
static struct rdma_cm_id *kept;

/* librdmacm's PD goes with its last id, and nobody sees whether it has: this one stays. */
void connections_begin(void)
{
	kept_channel = rdma_create_event_channel();
	if (kept_channel && !rdma_create_id(kept_channel, &kept, NULL, RDMA_PS_TCP) && !rdma_bind_addr(kept, address_at(0)))
		return;
	perror("no address for connections");
	exit(2);
}

void connections_end(void)
{
	rdma_destroy_id(kept);
	rdma_destroy_event_channel(kept_channel);
}

static void end_bare(void)
{
	if (!bare)
		return;
	if (bare->qp)
		rdma_destroy_qp(bare);
	if (bare->srq)
		rdma_destroy_srq(bare);
	bare = NULL;
}

/* All of it are roots, or go with the channel. */
static int close_made(void)
{
	int rc = 0;

	if (made.object && (stage.connections || vx_object_kind_of(made.object) == VX_OBJECT_CM_CHANNEL ||
			    vx_object_kind_of(made.object) >= VX_OBJECT_CM_ADDRINFO))
		rc = stage_close_made();
	end_bare();
	return rc;
}

int connections_close(void)
{
	int rc = close_made();

	rc = rc ? rc : vx_close(server);
	rc = rc ? rc : vx_close(stage.connections);
	rc = rc ? rc : vx_close(stage.elsewhere);
	rc = rc ? rc : vx_close(addresses);
	rc = rc ? rc : vx_close(lent);
	if (rc == 0) {
		stage.connections = stage.elsewhere = NULL;
		addresses = NULL;
		server = NULL;
		lent = NULL;
	}
	return rc;
}

/* ---- how far they are ---- */

int make_channel(void)
{
	return vx_cm_channel_create(NULL, &stage.connections);
}

int make_id_of(enum rdma_port_space ps)
{
	int rc = make_channel();

	return rc ? rc : vx_cm_id_create(stage.connections, &(struct vx_cm_id_init){ .ps = ps }, &active);
}

int make_id(void)
{
	return make_id_of(RDMA_PS_TCP);
}

struct vx_cm_id *connections_id;

int connections_make_id(void)
{
	int rc = make_id();

	connections_id = active;
	return rc;
}

int bind_id(void)
{
	return vx_cm_id_bind_addr(active, address_at(0));
}

int make_bound(void)
{
	int rc = make_id();

	return rc ? rc : bind_id();
}

int make_listener(void)
{
	int rc = make_id();

	rc = rc ? rc : vx_cm_id_create(stage.connections, NULL, &listener);
	rc = rc ? rc : vx_cm_id_bind_addr(listener, address_at(0));
	return rc ? rc : vx_cm_id_listen(listener, 0);
}

int resolve_addr(void)
{
	return vx_cm_id_resolve_addr(active, NULL, address_at(vx_cm_id_raw(listener)->route.addr.src_sin.sin_port), SOON_MS);
}

static int take(enum rdma_cm_event_type type)
{
	struct vx_cm_event event;
	int rc = vx_cm_channel_get_event(stage.connections, SOON_MS, &event);

	if (rc == 0 && event.listener)
		passive = event.id;
	return rc || event.type == type ? rc : -EPROTO;
}

int make_resolving(void)
{
	struct pollfd soon = { .events = POLLIN };
	int rc = make_listener();

	rc = rc ? rc : resolve_addr();
	if (rc)
		return rc;
	soon.fd = vx_cm_channel_raw(stage.connections)->fd;
	return poll(&soon, 1, SOON_MS) == 1 ? 0 : -ETIMEDOUT;
}

int make_resolved(void)
{
	int rc = make_resolving();

	return rc ? rc : take(RDMA_CM_EVENT_ADDR_RESOLVED);
}

int resolve_route(void)
{
	return vx_cm_id_resolve_route(active, SOON_MS);
}

int make_routed(void)
{
	int rc = make_resolved();

	rc = rc ? rc : resolve_route();
	return rc ? rc : take(RDMA_CM_EVENT_ROUTE_RESOLVED);
}

int set_local_ece(void)
{
	return vx_cm_id_set_local_ece(active, &(struct ibv_ece){ .vendor_id = 0x15b3, .options = 0x10 });
}

/* The QP is somebody else's, and has a number. */
int ask(void)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.qp_num = 7;
	return vx_cm_id_connect(active, &param);
}

int make_asked(void)
{
	int rc = make_routed();

	rc = rc ? rc : set_local_ece();
	rc = rc ? rc : ask();
	return rc ? rc : take(RDMA_CM_EVENT_CONNECT_REQUEST);
}

int accept_it(void)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);

	param.qp_num = 8;
	return vx_cm_id_accept(passive, &param);
}

int make_answered(void)
{
	int rc = make_asked();

	rc = rc ? rc : accept_it();
	return rc ? rc : take(RDMA_CM_EVENT_CONNECT_RESPONSE);
}

int establish(void)
{
	return vx_cm_id_establish(active);
}

int make_connected(void)
{
	int rc = make_answered();

	rc = rc ? rc : establish();
	return rc ? rc : take(RDMA_CM_EVENT_ESTABLISHED);
}
