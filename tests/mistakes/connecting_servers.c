/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Servers and clients, which have all of librdmacm in some calls. */

#include <stdio.h>

#include "connection.h"

static int serve(struct vx_cm_server_init init)
{
	struct vx_cm_server *server;
	int rc = vx_cm_server_create(&init, &server);

	if (rc == 0)
		must(vx_close(server));
	return rc;
}

static int serve_nowhere(struct bench *b)
{
	(void)b;
	return vx_cm_server_create(&(struct vx_cm_server_init){ .node = "10.1.0.1" }, NULL);
}

static int serve_beyond_ports(struct bench *b)
{
	(void)b;
	return serve((struct vx_cm_server_init){ .service = "70000" });
}

static int serve_what_nobody_knows(struct bench *b)
{
	(void)b;
	return serve((struct vx_cm_server_init){ .service = "no-such" });
}

static int serve_another_host(struct bench *b)
{
	(void)b;
	return serve((struct vx_cm_server_init){ .node = "192.0.2.1" });
}

static int serve_a_taken_port(struct bench *b)
{
	uint16_t port;
	char service[8];
	int rc;

	resolved(b);
	must(vx_cm_id_get_src_port(listener, &port));
	snprintf(service, sizeof(service), "%u", port);
	rc = serve((struct vx_cm_server_init){ .service = service });
	return said(b, rc);
}

static int serve_who_need_not_wait(struct bench *b)
{
	(void)b;
	return serve((struct vx_cm_server_init){ .waiting = 8 });
}

static int serve_with_a_negative_backlog(struct bench *b)
{
	(void)b;
	return serve((struct vx_cm_server_init){ .backlog = -1 });
}

static int serve_by_a_foreign_pd(struct bench *b)
{
	const struct vx_cm_qp_init qp = { .pd = b->pd };

	return serve((struct vx_cm_server_init){ .qp = &qp });
}

static int serve_datagrams(struct bench *b)
{
	const struct vx_cm_qp_init qp = { .qp_type = IBV_QPT_UD };

	(void)b;
	return serve((struct vx_cm_server_init){ .qp = &qp });
}

static int step_by_nothing(struct bench *b)
{
	struct vx_cm_server *server;
	int rc;

	(void)b;
	must(vx_cm_server_create(&(struct vx_cm_server_init){ .node = "10.1.0.1" }, &server));
	rc = vx_cm_server_step(server, 0);
	must(vx_close(server));
	return rc;
}

static int step_no_server(struct bench *b)
{
	(void)b;
	return vx_cm_server_step(NULL, 8);
}

/* ---- clients ---- */

static int reach(struct vx_cm_client_init init)
{
	struct vx_cm_client *client;
	int rc = vx_cm_client_connect(&init, &client);

	if (rc == 0)
		must(vx_close(client));
	return rc;
}

static int reach_nobody(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ 0 });
}

static int reach_no_name(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ .node = "no such name", .service = "7471" });
}

static int reach_no_port(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ .node = "10.1.0.1" });
}

static int reach_beyond_ports(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ .node = "10.1.0.1", .service = "65536" });
}

static int reach_where_nobody_listens(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ .node = "10.1.0.1", .service = "7471" });
}

static int reach_another_network(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ .node = "192.0.2.1", .service = "7471" });
}

static int reach_who_says_nothing(struct bench *b)
{
	uint16_t port;
	char service[8];

	resolved(b);
	must(vx_cm_id_get_src_port(listener, &port));
	snprintf(service, sizeof(service), "%u", port);
	return said(b, reach((struct vx_cm_client_init){ .node = "10.1.0.1", .service = service, .timeout_ms = 1000 }));
}

static int tell_much_by_a_client(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ .node = "10.1.0.1", .service = "7471", .private_data = much, .private_data_len = 57 });
}

static int tell_nothing_by_a_client(struct bench *b)
{
	(void)b;
	return reach((struct vx_cm_client_init){ .node = "10.1.0.1", .service = "7471", .private_data_len = 8 });
}

static int not_now(struct vx_cm_client *client, void *data)
{
	(void)client, (void)data;
	return -EPERM;
}

static int reach_what_prepare_refuses(struct bench *b)
{
	uint16_t port;
	char service[8];

	resolved(b);
	must(vx_cm_id_get_src_port(listener, &port));
	snprintf(service, sizeof(service), "%u", port);
	return said(b, reach((struct vx_cm_client_init){ .node = "10.1.0.1", .service = service, .prepare = not_now }));
}

static int reach_by_a_foreign_pd(struct bench *b)
{
	const struct vx_cm_qp_init qp = { .pd = b->pd };
	uint16_t port;
	char service[8];

	resolved(b);
	must(vx_cm_id_get_src_port(listener, &port));
	snprintf(service, sizeof(service), "%u", port);
	return said(b, reach((struct vx_cm_client_init){ .node = "10.1.0.1", .service = service, .qp = &qp }));
}

static const struct mistake mistakes[] = {
	{ "a server, and no place for it", serve_nowhere, -EINVAL, "out is NULL" },
	{ "a server at a port beyond all", serve_beyond_ports, -EINVAL, "service is no port, which are" },
	{ "a server of a service that nobody knows", serve_what_nobody_knows, -ENOENT, "service no-such" },
	{ "a server at the address of another host", serve_another_host, -EADDRNOTAVAIL, "there are 10.1.0.1 (mlx5_0/1)" },
	{ "a server at a port that is taken", serve_a_taken_port, -EADDRINUSE, "the port is in use" },
	{ "a server that has whom wait that nothing limits", serve_who_need_not_wait, -EINVAL, "without init.most nobody has to wait" },
	{ "a server with a backlog below 0", serve_with_a_negative_backlog, -EINVAL, "cannot be negative" },
	{ "a server of datagrams", serve_datagrams, -EINVAL, "init.qp->qp_type is IBV_QPT_UD, and connections have IBV_QPT_RC" },
	{ "a server whose PD is of another context", serve_by_a_foreign_pd, -EINVAL, "make it on one that vx_cm_contexts()" },
	{ "a server's step for no event", step_by_nothing, -EINVAL, "must be 1 at least" },
	{ "a step of no server", step_no_server, -EINVAL, "server is NULL" },
	{ "a client of nobody", reach_nobody, -EINVAL, "init.node is NULL" },
	{ "a client of a name that nobody has", reach_no_name, -ENOENT, "Name or service not known" },
	{ "a client of a host, but of none of its ports", reach_no_port, -EINVAL, "init.service is NULL" },
	{ "a client of a port beyond all", reach_beyond_ports, -EINVAL, "service is no port, which are" },
	{ "a client of a port where nobody listens", reach_where_nobody_listens, -ECONNREFUSED, "nobody listens at this port" },
	{ "a client of an address that no device leads to", reach_another_network, -ENODEV, "no RDMA device of this host leads to the address" },
	{ "a client of who does not answer in time", reach_who_says_nothing, -ETIMEDOUT, "the time is up while asking for a connection" },
	{ "57 bytes of private data of a client", tell_much_by_a_client, -EINVAL, "room for 56 bytes" },
	{ "private data of a client that are nowhere", tell_nothing_by_a_client, -EINVAL, "init.private_data is NULL" },
	{ "a client whose prepare fails", reach_what_prepare_refuses, -EPERM, "prepare returned that" },
	{ "a client whose PD is of another context", reach_by_a_foreign_pd, -EINVAL, "pd is of another context" },
};

CHAPTER(connecting_servers, "Servers and clients of librdmacm");
