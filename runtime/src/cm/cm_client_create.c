/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Clients come and go, or are made, connected and gone in one call. */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "cm/cm_client.h"
#include "cm/cm_server.h"
#include "error/fail.h"
#include "object/event.h"

#define TIMEOUT_MS 5000
#define PAUSE_MS 20
#define CONNECT "vx_cm_client_connect"

/* ---- making and ending ---- */

static int end_client(struct vx_node *node)
{
	struct vx_cm_client_state *c = vx_node_extra(node);
	struct vx_cm_id *id = vx_cm_client_id_of(c);
	int rc = id ? vx_close(id) : 0; /* wherever the program has moved it */

	if (rc == 0)
		rc = vx_close(c->channel);
	if (rc < 0)
		return rc;
	c->channel = NULL;
	vx_close(c->found);
	c->found = NULL;
	return 0;
}

static int start_client(struct vx_cm_client_state *c, const struct vx_cm_client_init *init)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_NOROUTE, .ai_port_space = RDMA_PS_TCP };
	int rc = vx_cm_channel_create(NULL, &c->channel);

	if (rc == 0)
		rc = vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = init->node, .service = init->service, .hints = &hints }, &c->found);
	if (rc == 0)
		c->to = vx_cm_addrinfo_raw(c->found);
	return rc;
}

static int check_client(const struct vx_cm_client_init *init, const void *out, const char *call)
{
	if (!out)
		return vx_null_fail(call, "out");
	if (init->comp_mask)
		return vx_unknown_bits(call, "comp_mask", init->comp_mask, 0);
	if (!init->node || !init->service)
		return vx_null_fail(call, init->node ? "init.service" : "init.node");
	if (init->private_data_len && !init->private_data)
		return vx_null_fail(call, "init.private_data");
	if (init->private_data_len > VX_CM_LONGEST_REQUEST)
		return vx_fail(-EINVAL, call, NULL, "init.private_data_len is %zu, and a request has room for %d bytes", init->private_data_len,
			       VX_CM_LONGEST_REQUEST);
	return 0;
}

static void fill_client(struct vx_cm_client_state *c, struct vx_node *node, const struct vx_cm_client_init *init)
{
	*c = (struct vx_cm_client_state){ .init = *init, .qp = *init->qp, .handle = (struct vx_cm_client *)node, .start = vx_now_ms(),
					  .call = VX_CM_CLIENT_STEP };
	c->init.timeout_ms = init->timeout_ms ? init->timeout_ms : TIMEOUT_MS;
	c->pause_ms = (int)(init->pause_ms ? init->pause_ms < INT_MAX ? init->pause_ms : INT_MAX : PAUSE_MS);
	c->kept = (struct vx_kept_cm_client){ .known = true, .timeout_ms = c->init.timeout_ms, .retries = init->retries,
					       .pause_ms = (uint32_t)c->pause_ms };
	memcpy(c->data, init->private_data_len ? init->private_data : "", init->private_data_len);
	c->init.node = c->init.service = NULL; /* they are the program's */
	c->init.private_data = NULL;
	c->init.qp = NULL;
}

static int begin_client(struct vx_node *node, void *pd, const void *init)
{
	struct vx_cm_client_state *c = vx_node_extra(node);
	int rc;

	(void)pd;
	fill_client(c, node, init);
	rc = start_client(c, init);
	if (rc == 0)
		return 0;
	vx_error_try();
	if (end_client(node) < 0)
		vx_close(c->found); /* its channel stays, which nobody has */
	vx_error_tried(0);
	return rc;
}

static int take_and_make(const struct vx_cm_client_init *init, size_t size, size_t qp_size, const char *call, struct vx_cm_client **out)
{
	struct vx_cm_client_init own;
	int rc = vx_take_in(&own, sizeof(own), init, size, call, "init", "data");

	if (rc == 0)
		rc = check_client(&own, out, call);
	if (rc < 0)
		return rc;
	return vx_cm_make(&(struct vx_own_making){ .call = call, .init = &own, .kind = VX_OBJECT_CM_CLIENT,
						   .extra = sizeof(struct vx_cm_client_state), .begin = begin_client, .end = end_client },
			  own.service, &own.qp, qp_size, out);
}

int vx_cm_client_create_sized(const struct vx_cm_client_init *init, size_t size, size_t qp_size, struct vx_cm_client **out)
{
	return take_and_make(init, size, qp_size, "vx_cm_client_create", out);
}

static int take_all_steps(struct vx_cm_client *client)
{
	struct pollfd entry = { vx_cm_client_fd(client), POLLIN, 0 };
	int rc;

	while ((rc = vx_cm_client_step(client)) == -EAGAIN)
		poll(&entry, 1, vx_cm_client_left_ms(client)); /* after a signal as well there is nothing lost by a step */
	return rc;
}

/* Nobody else has it. */
static void close_cancelled(void *client)
{
	vx_close(client);
}

int vx_cm_client_connect_sized(const struct vx_cm_client_init *init, size_t size, size_t qp_size, struct vx_cm_client **out)
{
	struct vx_cm_client_state *c;
	struct vx_cm_client *client;
	int rc;

	if (!out)
		return vx_null_fail(CONNECT, "out");
	rc = take_and_make(init, size, qp_size, CONNECT, &client);
	if (rc < 0)
		return rc;
	pthread_cleanup_push(close_cancelled, client);
	c = vx_node_extra((const struct vx_node *)client);
	c->call = CONNECT;
	rc = take_all_steps(client);
	c->call = VX_CM_CLIENT_STEP;
	pthread_cleanup_pop(0);
	if (rc == 0) {
		*out = client;
		return 0;
	}
	VX_QUIETLY(vx_close(client));
	return rc;
}
