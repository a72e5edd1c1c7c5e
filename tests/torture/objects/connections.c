/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is done with ids of librdmacm, what is made on them, and what they lend. */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "connection_steps.h"

/* ---- what is done ---- */

#define ASK(name, call)       \
	static int name(void) \
	{                     \
		return call;  \
	}

static struct vx_cm_event event;
static struct ibv_ece ece;
static const struct rdma_addrinfo passively = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };

static int find_addresses(struct vx_cm_addrinfo **out)
{
	const struct vx_cm_addrinfo_init init = { .node = own_address(), .service = "0", .hints = &passively };

	return vx_cm_addrinfo_create(&init, out);
}

ASK(create_channel, vx_cm_channel_create(NULL, &made.cm_channel))
ASK(create_id, vx_cm_id_create(stage.connections, NULL, &made.cm_id))
ASK(create_sync_id, vx_cm_sync_id_create(NULL, &made.cm_id))
ASK(create_addresses, find_addresses(&made.cm_addrinfo))
ASK(make_addresses, find_addresses(&addresses))
ASK(create_ep, vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = addresses }, &made.cm_id))
ASK(create_qp, vx_cm_qp_create(active, NULL, &made.qp))
ASK(create_srq, vx_cm_srq_create(active, NULL, &made.srq))
ASK(take_event, vx_cm_channel_get_event(stage.connections, 20, &event)) /* which is there */
ASK(disconnect, vx_cm_id_disconnect(active))
ASK(reject, vx_cm_id_reject(passive, "no", 3))
ASK(reject_ece, vx_cm_id_reject_ece(passive, "no", 3))
ASK(notify, vx_cm_id_notify(passive, IBV_EVENT_COMM_EST))
ASK(get_remote_ece, vx_cm_id_get_remote_ece(passive, &ece))
ASK(set_tos, vx_cm_id_set_tos(active, 8))
ASK(set_reuseaddr, vx_cm_id_set_reuseaddr(active, true))
ASK(set_afonly, vx_cm_id_set_afonly(active, true))
ASK(set_ack_timeout, vx_cm_id_set_ack_timeout(active, 14))
ASK(migrate, vx_cm_id_migrate(active, stage.elsewhere))

static int make_elsewhere(void)
{
	int rc = make_id();

	return rc ? rc : vx_cm_channel_create(NULL, &stage.elsewhere);
}

static bool was_tried;

static int make_unbound(void)
{
	was_tried = false;
	return make_id();
}

static int make_to_listen(void)
{
	was_tried = false;
	return make_bound();
}

/* After a try that failed it may be bound, and to no device: another is bound in its place. */
static int bind_it(void)
{
	int rc = was_tried ? vx_close(active) : 0;

	if (rc == 0 && was_tried)
		rc = vx_cm_id_create(stage.connections, NULL, &active);
	was_tried = true;
	return rc ? rc : bind_id();
}

/* After a try that failed it may listen, which is done once: another does in its place. */
static int listen_on(void)
{
	int rc = was_tried ? bind_it() : 0;

	was_tried = true;
	return rc ? rc : vx_cm_id_listen(active, 0);
}

/* In the order of bytes of the wire, and as long as all that is packed into it. */
static int set_ib_path(void)
{
	const struct ibv_path_data path = {
		.flags = IBV_PATH_FLAG_GMP | IBV_PATH_FLAG_PRIMARY | IBV_PATH_FLAG_BIDIRECTIONAL,
		.path = { .slid = htons(1), .dlid = htons(1), .pkey = htons(0xffff), .reversible_numpath = 0x81, .mtu = 0x84, .rate = 0x83 },
	};

	return vx_cm_id_set_ib_path(active, &path, 1);
}

static int init_qp_attr(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int mask;

	return vx_cm_id_init_qp_attr(active, &attr, &mask);
}

/* ---- groups ---- */

static int make_of_datagrams(void)
{
	int rc = make_id_of(RDMA_PS_UDP);

	return rc ? rc : bind_id();
}

static int join_group(void)
{
	struct sockaddr_in group = { .sin_family = AF_INET, .sin_addr = { htonl(0xef010203) } };

	return vx_cm_group_create(active, &(struct vx_cm_group_init){ .addr = (struct sockaddr *)&group }, &made.cm_group);
}

/* ---- what it lends ---- */

static int make_bare_qp(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };
	int rc = make_bound();

	if (rc)
		return rc;
	bare = vx_cm_id_raw(active);
	return rdma_create_qp(bare, NULL, &attr);
}

static int make_bare_srq(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	int rc = make_bound();

	if (rc)
		return rc;
	bare = vx_cm_id_raw(active);
	return rdma_create_srq(bare, NULL, &attr);
}

ASK(lend_ctx, vx_cm_id_ctx(active, &lent))
ASK(lend_pd, vx_cm_id_pd(active, &made.pd))
ASK(lend_qp, vx_cm_id_qp(active, &made.qp))
ASK(lend_srq, vx_cm_id_srq(active, &made.srq))
ASK(lend_send_cq, vx_cm_id_send_cq(active, &made.cq))
ASK(lend_recv_cq, vx_cm_id_recv_cq(active, &made.cq))
ASK(lend_send_channel, vx_cm_id_send_cq_channel(active, &made.comp_channel))
ASK(lend_recv_channel, vx_cm_id_recv_cq_channel(active, &made.comp_channel))

/* ---- what others have made ---- */

static void *raw;

static int give_back(void)
{
	raw = vx_give_back(made.object);
	made.object = NULL;
	return raw ? 0 : -1;
}

static int give_channel(void)
{
	int rc = create_channel();

	return rc ? rc : give_back();
}

static int give_id(void)
{
	int rc = make_channel();

	rc = rc ? rc : create_id();
	return rc ? rc : give_back();
}

static int give_addresses(void)
{
	int rc = create_addresses();

	return rc ? rc : give_back();
}

ASK(adopt_channel, vx_cm_channel_adopt(raw, &made.cm_channel))
ASK(adopt_id, vx_cm_id_adopt(stage.connections, raw, &made.cm_id))
ASK(adopt_addresses, vx_cm_addrinfo_adopt(raw, &made.cm_addrinfo))

/* ---- servers and clients ---- */

static int serve(struct vx_cm_server **out)
{
	return vx_cm_server_create(&(struct vx_cm_server_init){ .node = own_address(), .most = 1, .waiting = 1 }, out);
}

ASK(create_server, serve(&made.cm_server))
ASK(make_server, serve(&server))

static int create_client(void)
{
	char port[16];

	snprintf(port, sizeof(port), "%u", vx_cm_server_port(server));
	return vx_cm_client_create(&(struct vx_cm_client_init){ .node = own_address(), .service = port }, &made.cm_client);
}

/* Until the server is asked, which answers never. */
static int take_steps(void)
{
	struct pollfd both[] = { { vx_cm_client_fd(made.cm_client), POLLIN, 0 }, { vx_cm_server_fd(server), POLLIN, 0 } };
	int rc;

	while ((rc = vx_cm_client_step(made.cm_client)) == -EAGAIN && !both[1].revents)
		poll(both, 2, vx_cm_client_left_ms(made.cm_client));
	return rc == -EAGAIN ? 0 : rc;
}

/* One that has failed fails again. */
static int begin_client(void)
{
	int rc = create_client();

	if (rc)
		return rc;
	rc = take_steps();
	if (rc)
		stage_close_made();
	return rc;
}

#define MINUS_ONE(call) NAMED(call, BY_MINUS_ONE)
#define OF_ITSELF(call) { #call, NULL, BY_NULL, NULL }

const struct kind connection_kinds[] = {
	{ "synchronous id", create_sync_id, MINUS_ONE(rdma_create_id), MINUS_ONE(rdma_destroy_id) },
	{ 0 },
};

const struct method connections[] = {
	{ "event channel", NULL, create_channel, NAMED(rdma_create_event_channel, BY_NULL) },
	{ "id", make_channel, create_id, MINUS_ONE(rdma_create_id) },
	{ "addresses", NULL, create_addresses, MINUS_ONE(rdma_getaddrinfo) },
	{ "adopting an event channel", give_channel, adopt_channel, OF_ITSELF(vx_cm_channel_adopt) },
	{ "adopting an id", give_id, adopt_id, OF_ITSELF(vx_cm_id_adopt) },
	{ "adopting addresses", give_addresses, adopt_addresses, OF_ITSELF(vx_cm_addrinfo_adopt) },
	{ "binding an id", make_unbound, bind_it, MINUS_ONE(rdma_bind_addr) },
	{ "listening", make_to_listen, listen_on, MINUS_ONE(rdma_listen) },
	{ "an address is resolved", make_listener, resolve_addr, MINUS_ONE(rdma_resolve_addr) },
	{ "taking an event of an id", make_resolving, take_event, NAMED(rdma_get_cm_event, BY_WAITING) },
	{ "a route is resolved", make_resolved, resolve_route, MINUS_ONE(rdma_resolve_route) },
	{ "asking for a connection", make_routed, ask, MINUS_ONE(rdma_connect) },
	{ "accepting", make_asked, accept_it, MINUS_ONE(rdma_accept) },
	{ "rejecting", make_asked, reject, MINUS_ONE(rdma_reject) },
	{ "rejecting for extensions", make_asked, reject_ece, MINUS_ONE(rdma_reject_ece) },
	{ "extensions of the peer", make_asked, get_remote_ece, MINUS_ONE(rdma_get_remote_ece) },
	{ "extensions", make_routed, set_local_ece, MINUS_ONE(rdma_set_local_ece) },
	{ "establishing", make_answered, establish, MINUS_ONE(rdma_establish) },
	{ "notifying", make_answered, notify, MINUS_ONE(rdma_notify) },
	{ "disconnecting", make_connected, disconnect, MINUS_ONE(rdma_disconnect) },
	{ "attributes for a qp", make_routed, init_qp_attr, MINUS_ONE(rdma_init_qp_attr) },
	{ "moving to another channel", make_elsewhere, migrate, MINUS_ONE(rdma_migrate_id) },
	{ "type of service", make_id, set_tos, MINUS_ONE(rdma_set_option) },
	{ "an address that several have", make_id, set_reuseaddr, MINUS_ONE(rdma_set_option) },
	{ "one family of addresses", make_id, set_afonly, MINUS_ONE(rdma_set_option) },
	{ "timeout of acknowledgements", make_id, set_ack_timeout, MINUS_ONE(rdma_set_option) },
	{ "path of an id", make_resolved, set_ib_path, MINUS_ONE(rdma_set_option) },
	{ "context of an id", make_bound, lend_ctx, OF_ITSELF(vx_ctx_borrow) },
	{ "pd of an id", make_bound, lend_pd, { "vx_pd_borrow", NULL, BY_NULL, "vx_ctx_borrow" } },
	{ "qp that an id has", make_bare_qp, lend_qp, OF_ITSELF(vx_qp_borrow) },
	{ "srq that an id has", make_bare_srq, lend_srq, OF_ITSELF(vx_srq_borrow) },
	{ "cq for sends of an id", make_bare_qp, lend_send_cq, OF_ITSELF(vx_cq_borrow) },
	{ "cq for receives of an id", make_bare_qp, lend_recv_cq, OF_ITSELF(vx_cq_borrow) },
	{ "channel of sends of an id", make_bare_qp, lend_send_channel, OF_ITSELF(vx_comp_channel_borrow) },
	{ "channel of receives of an id", make_bare_qp, lend_recv_channel, OF_ITSELF(vx_comp_channel_borrow) },
	{ 0 },
};

const struct method connections_once[] = {
	{ "endpoint", make_addresses, create_ep, MINUS_ONE(rdma_create_ep) },
	{ "qp of an id", make_bound, create_qp, MINUS_ONE(rdma_create_qp_ex) },
	{ "srq of an id", make_bound, create_srq, MINUS_ONE(rdma_create_srq_ex) },
	{ "group of an id", make_of_datagrams, join_group, MINUS_ONE(rdma_join_multicast_ex) },
	{ "server", NULL, create_server, { "rdma_listen", "rdma_listen", BY_MINUS_ONE,
		"rdma_create_event_channel rdma_getaddrinfo rdma_create_id rdma_bind_addr" } },
	{ "client", make_server, create_client, { "rdma_getaddrinfo", "rdma_getaddrinfo", BY_MINUS_ONE, "rdma_create_event_channel" } },
	{ "first steps of a client", make_server, begin_client, { "vx_cm_client_step", NULL, BY_NULL, NULL } },
	{ 0 },
};
