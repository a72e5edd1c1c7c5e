/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Clients: one try after the other, step by step. */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include <verbsx/defaults.h>

#include "cm/cm_server.h"
#include <verbsx/cm_client.h>
#include "error/fail.h"
#include "object/event.h"

#define TIMEOUT_MS 5000
#define PAUSE_MS 20
#define LONGEST_PAUSE_MS 1000
#define LONGEST_DATA 56
#define LONGEST_WHY 256

enum at { NOTHING, ADDRESS, ROUTE, REQUEST, CONNECTED, PAUSING, OVER };

struct client {
	struct vx_kept_cm_client kept;
	struct vx_cm_client_init init;
	struct vx_cm_qp_init qp;
	unsigned char data[LONGEST_DATA];
	struct vx_cm_client *handle;
	struct vx_cm_channel *channel;		/* its own, and the id is under it */
	struct vx_cm_addrinfo *found;
	const struct rdma_addrinfo *to;		/* the one that is tried */
	struct vx_cm_id *id;
	enum at at;
	uint32_t tries;				/* so many have failed, of all addresses */
	int64_t start, pause_start;
	int pause_ms;
	int rc;					/* what it has failed with; before it is over, what the last try did */
	char why[LONGEST_WHY];
	bool has_answer;
	struct rdma_conn_param answer;
	unsigned char told[UINT8_MAX];		/* behind the answer */
};

static struct client *client_of(const struct vx_cm_client *client)
{
	return vx_node_extra((const struct vx_node *)client);
}

static bool is_none(const struct vx_cm_client *client, const char *call)
{
	return vx_wrong(client, VX_OBJECT_CM_CLIENT, call, "client");
}

/* ---- what went wrong ---- */

static const char *doing(const struct client *c)
{
	static const char what[][24] = {
		[NOTHING] = "beginning", [ADDRESS] = "resolving the address", [ROUTE] = "resolving the route",
		[REQUEST] = "asking for a connection", [CONNECTED] = "being connected", [PAUSING] = "waiting to try again",
		[OVER] = "being over",
	};

	return what[c->at];
}

static int close_id(struct client *c)
{
	struct vx_cm_id *id = c->id;
	int rc;

	vx_error_try();
	rc = vx_close(id);
	vx_error_tried(0);
	if (rc == 0)
		c->id = NULL;
	return rc;
}

/* What failed is the reason of all of it. Of a client -EAGAIN would say that it goes on. */
static VX_COLD int give_up(struct client *c, int code)
{
	c->rc = code = code == -EAGAIN ? -EBUSY : code;
	close_id(c);
	c->at = OVER;
	return vx_fail(code, "vx_cm_client_step", VX_NAME(c->handle), "%s", c->why);
}

static void note(struct client *c, int code, const char *why)
{
	c->rc = code;
	snprintf(c->why, sizeof(c->why), "%s: %s", doing(c), why);
}

/* A call has failed, and is recorded. */
static VX_COLD int fail_as_recorded(struct client *c, int code)
{
	note(c, code, vx_error_text());
	return give_up(c, code);
}

static VX_COLD int time_is_up(struct client *c)
{
	char why[LONGEST_WHY];

	if (c->tries)
		snprintf(why, sizeof(why), "the time is up while %s, after %u tries; the last: %.160s", doing(c), c->tries, c->why);
	else
		snprintf(why, sizeof(why), "the time is up while %s", doing(c));
	memcpy(c->why, why, sizeof(why));
	return give_up(c, -ETIMEDOUT);
}

/* ---- a try ---- */

static int left_ms(const struct client *c)
{
	return vx_left_ms(c->init.timeout_ms, c->start);
}

/* The kernel takes no time that is for ever. */
static int resolving_ms(const struct client *c)
{
	const int left = left_ms(c);

	return left < 0 ? INT_MAX : left ? left : 1;
}

static int try_again(struct client *c);

static int begin_try(struct client *c)
{
	int rc = close_id(c);

	if (rc == 0)
		rc = vx_cm_id_create(c->channel, NULL, &c->id);
	c->at = ADDRESS;
	if (rc == 0)
		rc = vx_cm_id_resolve_addr(c->id, c->to->ai_src_addr, c->to->ai_dst_addr, resolving_ms(c));
	if (rc == 0)
		return 0;
	note(c, rc, vx_error_text());
	return c->to->ai_next ? try_again(c) : give_up(c, rc);
}

static int ask(struct client *c)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);
	struct vx_qp *qp;
	int rc = vx_cm_qp_create(c->id, &c->qp, &qp);

	param.private_data = c->data;
	param.private_data_len = (uint8_t)c->init.private_data_len;
	if (rc == 0 && c->init.prepare && (rc = c->init.prepare(c->handle, c->init.data)) != 0) {
		note(c, rc, "prepare returned that");
		return give_up(c, rc < 0 ? rc : -ECANCELED);
	}
	if (rc == 0)
		rc = vx_cm_id_connect(c->id, &param);
	return rc;
}

/* The next address, or the first again after a pause. */
static int try_again(struct client *c)
{
	const bool is_first = !c->pause_start;

	c->tries++;
	c->to = c->to->ai_next;
	if (c->to)
		return begin_try(c);
	c->to = vx_cm_addrinfo_raw(c->found);
	if (c->init.retries-- == 0)
		return give_up(c, c->rc);
	c->at = PAUSING;
	c->pause_start = vx_now_ms();
	if (!is_first)
		c->pause_ms = 2 * c->pause_ms < LONGEST_PAUSE_MS ? 2 * c->pause_ms : LONGEST_PAUSE_MS;
	return close_id(c);
}

/* ---- events ---- */

static void keep_answer(struct client *c, const struct vx_cm_event *event)
{
	c->has_answer = event->param == VX_CM_PARAM_CONN;
	if (!c->has_answer)
		return;
	c->answer = event->conn;
	if (c->answer.private_data)
		c->answer.private_data = memcpy(c->told, c->answer.private_data, c->answer.private_data_len);
}

static int try_failed(struct client *c, const struct vx_cm_event *event)
{
	char text[LONGEST_WHY];

	vx_cm_event_text(text, sizeof(text), event);
	note(c, event->status ? event->status : -EIO, text);
	return try_again(c);
}

/* The peer waits for an answer to that; and what the QP had to do is flushed. */
static VX_COLD int has_ended(struct client *c)
{
	vx_error_try();
	vx_cm_id_disconnect(c->id);
	vx_error_tried(0);
	snprintf(c->why, sizeof(c->why), "the connection has ended");
	c->at = OVER; /* with its id and QP, which the program may look at */
	c->rc = -ENOTCONN;
	return vx_fail(c->rc, "vx_cm_client_step", VX_NAME(c->handle), "%s", c->why);
}

static int go_on(struct client *c, int rc, enum at at)
{
	if (rc < 0)
		return c->at == OVER ? rc : fail_as_recorded(c, rc);
	c->at = at;
	return 0;
}

static int go_by(struct client *c, const struct vx_cm_event *event)
{
	switch (event->type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		c->at = ROUTE;
		return go_on(c, vx_cm_id_resolve_route(c->id, resolving_ms(c)), ROUTE);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		c->at = REQUEST;
		return go_on(c, ask(c), REQUEST);
	case RDMA_CM_EVENT_ESTABLISHED:
		keep_answer(c, event);
		c->at = CONNECTED;
		return 0;
	case RDMA_CM_EVENT_REJECTED:
		keep_answer(c, event);
		return try_failed(c, event);
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		return try_failed(c, event);
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return has_ended(c);
	default:
		return 0;
	}
}

/* Closing the id acknowledges its events, this one too. */
static int take_event(struct client *c)
{
	struct vx_cm_event event;
	int rc = vx_cm_channel_get_event(c->channel, 0, &event);

	if (rc < 0)
		return rc;
	rc = event.id && event.id == c->id ? go_by(c, &event) : 0;
	vx_cm_event_ack(&event);
	return rc;
}

/* ---- steps ---- */

static bool is_paused(const struct client *c)
{
	return c->at == PAUSING && vx_left_ms(c->pause_ms, c->pause_start) > 0;
}

static int step(struct client *c)
{
	int rc = 0;

	if (c->at == NOTHING || (c->at == PAUSING && !is_paused(c)))
		rc = begin_try(c);
	while (rc == 0)
		rc = take_event(c);
	if (rc == -EAGAIN && c->at == CONNECTED)
		return 0;
	if (rc == -EAGAIN)
		return left_ms(c) ? rc : time_is_up(c);
	return c->at == OVER ? rc : fail_as_recorded(c, rc);
}

int vx_cm_client_step(struct vx_cm_client *client)
{
	struct client *c;

	if (is_none(client, "vx_cm_client_step"))
		return -EINVAL;
	c = client_of(client);
	if (c->at == OVER)
		return vx_fail(c->rc, "vx_cm_client_step", VX_NAME(client), "it is over: %s", c->why);
	return step(c);
}

int vx_cm_client_left_ms(const struct vx_cm_client *client)
{
	const struct client *c;
	int left, pause;

	if (is_none(client, "vx_cm_client_left_ms"))
		return 0;
	c = client_of(client);
	if (c->at == NOTHING)
		return 0;
	if (c->at == CONNECTED || c->at == OVER)
		return -1;
	left = left_ms(c);
	pause = c->at == PAUSING ? vx_left_ms(c->pause_ms, c->pause_start) : -1;
	return left < 0 || (pause >= 0 && pause < left) ? pause : left;
}

/* ---- asking ---- */

int vx_cm_client_fd(const struct vx_cm_client *client)
{
	return is_none(client, "vx_cm_client_fd") ? -EINVAL : vx_cm_channel_raw(client_of(client)->channel)->fd;
}

struct vx_cm_id *vx_cm_client_id(const struct vx_cm_client *client)
{
	return is_none(client, "vx_cm_client_id") ? NULL : client_of(client)->id;
}

/* By the raw one, as it may be closed with what it depends on. */
struct vx_qp *vx_cm_client_qp(const struct vx_cm_client *client)
{
	struct vx_node *node = NULL;
	const struct ibv_qp *raw;

	if (is_none(client, "vx_cm_client_qp") || !client_of(client)->id)
		return NULL;
	raw = vx_cm_id_raw(client_of(client)->id)->qp;
	vx_graph_lock();
	if (raw)
		node = vx_node_of(raw, VX_OBJECT_QP);
	vx_graph_unlock();
	return (struct vx_qp *)node;
}

const struct rdma_conn_param *vx_cm_client_answer(const struct vx_cm_client *client)
{
	return is_none(client, "vx_cm_client_answer") || !client_of(client)->has_answer ? NULL : &client_of(client)->answer;
}

/* ---- making and ending ---- */

static int end_client(struct vx_node *node)
{
	struct client *c = vx_node_extra(node);
	int rc = vx_close(c->channel);

	if (rc < 0)
		return rc;
	c->channel = NULL;
	vx_close(c->found);
	c->found = NULL;
	return 0;
}

static int begin_client(struct client *c, const struct vx_cm_client_init *init)
{
	const struct rdma_addrinfo hints = { .ai_flags = RAI_NOROUTE, .ai_port_space = RDMA_PS_TCP };
	int rc = vx_cm_channel_create(NULL, &c->channel);

	if (rc == 0)
		rc = vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = init->node, .service = init->service, .hints = &hints }, &c->found);
	if (rc == 0)
		c->to = vx_cm_addrinfo_raw(c->found);
	return rc;
}

static int check_client(const struct vx_cm_client_init *init, const struct vx_cm_qp_init *qp, const void *out, const char *call)
{
	if (!out)
		return vx_null_fail(call, "out");
	if (init->comp_mask)
		return vx_unknown_bits(call, "comp_mask", init->comp_mask, 0);
	if (!init->node || !init->service)
		return vx_null_fail(call, init->node ? "init.service" : "init.node");
	if (init->private_data_len && !init->private_data)
		return vx_null_fail(call, "init.private_data");
	if (init->private_data_len > LONGEST_DATA)
		return vx_fail(-EINVAL, call, NULL, "init.private_data_len is %zu, and a request has room for %d bytes", init->private_data_len,
			       LONGEST_DATA);
	return vx_cm_check_qp(qp, call);
}

static void fill_state(struct client *c, struct vx_node *node, const struct vx_cm_client_init *init, const struct vx_cm_qp_init *qp)
{
	*c = (struct client){ .init = *init, .qp = *qp, .handle = (struct vx_cm_client *)node, .start = vx_now_ms() };
	c->init.timeout_ms = init->timeout_ms ? init->timeout_ms : TIMEOUT_MS;
	c->pause_ms = (int)(init->pause_ms ? init->pause_ms < INT_MAX ? init->pause_ms : INT_MAX : PAUSE_MS);
	c->kept = (struct vx_kept_cm_client){ true, c->init.timeout_ms, init->retries, (uint32_t)c->pause_ms };
	memcpy(c->data, init->private_data_len ? init->private_data : "", init->private_data_len);
	c->init.node = c->init.service = NULL; /* they are the program's */
	c->init.private_data = NULL;
	c->init.qp = NULL;
}

static int make_client(const struct vx_cm_client_init *init, const struct vx_cm_qp_init *qp, const char *call, struct vx_cm_client **out)
{
	void *uses[] = VX_CM_QP_USES(qp);
	struct vx_node *node = vx_node_new(sizeof(struct client), VX_OBJECT_CM_CLIENT, end_client, uses, sizeof(uses) / sizeof(uses[0]), call);
	int rc;

	if (!node)
		return vx_error()->code;
	fill_state(vx_node_extra(node), node, init, qp);
	rc = begin_client(vx_node_extra(node), init);
	if (rc == 0)
		return vx_node_link(node, vx_node_extra(node), out);
	vx_error_try();
	end_client(node);
	vx_error_tried(0);
	vx_node_drop(node);
	return rc;
}

static int take_and_make(const struct vx_cm_client_init *init, size_t size, size_t qp_size, const char *call, struct vx_cm_client **out)
{
	struct vx_cm_client_init own;
	struct vx_cm_qp_init qp;
	int rc = vx_take_in(&own, sizeof(own), init, size, call, "init", "data");

	if (rc == 0)
		rc = vx_take_in(&qp, sizeof(qp), own.qp, qp_size, call, "init.qp", "send_ops_flags");
	if (rc == 0)
		rc = check_client(&own, &qp, out, call);
	return rc < 0 ? rc : make_client(&own, &qp, call, out);
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

int vx_cm_client_connect_sized(const struct vx_cm_client_init *init, size_t size, size_t qp_size, struct vx_cm_client **out)
{
	struct vx_cm_client *client;
	int rc;

	if (!out)
		return vx_null_fail("vx_cm_client_connect", "out");
	rc = take_and_make(init, size, qp_size, "vx_cm_client_connect", &client);
	if (rc < 0)
		return rc;
	rc = take_all_steps(client);
	if (rc == 0) {
		*out = client;
		return 0;
	}
	vx_error_try();
	vx_close(client);
	vx_error_tried(0);
	return rc;
}
