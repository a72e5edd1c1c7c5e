/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Clients: one try after the other, step by step. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include <verbsx/defaults.h>

#include "cm/cm_client.h"
#include "error/fail.h"
#include "object/event.h"

#define LONGEST_PAUSE_MS 1000

/* Not by its channel: the program may have moved it to another, or made ids of its own there. */
struct vx_cm_id *vx_cm_client_id_of(const struct vx_cm_client_state *c)
{
	const struct vx_node *node;
	bool is_there;

	if (!c->id)
		return NULL;
	vx_graph_lock();
	node = vx_node_of(c->raw, VX_OBJECT_CM_ID);
	is_there = node == (const struct vx_node *)c->id && node->serial == c->serial;
	vx_graph_unlock();
	return is_there ? c->id : NULL;
}

/* ---- what went wrong ---- */

static const char *doing(const struct vx_cm_client_state *c)
{
	static const char what[][24] = {
		[VX_CM_NOTHING] = "beginning", [VX_CM_ADDRESS] = "resolving the address", [VX_CM_ROUTE] = "resolving the route",
		[VX_CM_REQUEST] = "asking for a connection", [VX_CM_CONNECTED] = "being connected", [VX_CM_PAUSING] = "waiting to try again",
		[VX_CM_OVER] = "being over",
	};

	return what[c->at];
}

static int close_id(struct vx_cm_client_state *c)
{
	const int rc = vx_close(c->id);

	if (rc == 0)
		c->id = NULL;
	return rc;
}

/* What failed is the reason of all of it. Of a client -EAGAIN would say that it goes on. */
static VX_COLD int give_up_trying(struct vx_cm_client_state *c, int code)
{
	c->rc = code = code == -EAGAIN ? -EBUSY : code;
	VX_QUIETLY(close_id(c));
	c->at = VX_CM_OVER;
	return vx_fail(code, c->call, VX_NAME(c->handle), "%s", c->why);
}

static void note(struct vx_cm_client_state *c, int code, const char *why)
{
	c->rc = code;
	snprintf(c->why, sizeof(c->why), "%s: %s", doing(c), why);
}

/* A call has failed, and is recorded. */
static VX_COLD int fail_as_recorded(struct vx_cm_client_state *c, int code)
{
	note(c, code, vx_error_text());
	return give_up_trying(c, code);
}

static VX_COLD int time_is_up(struct vx_cm_client_state *c)
{
	char why[VX_CM_LONGEST_WHY];

	if (c->kept.failed)
		snprintf(why, sizeof(why), "the time is up while %s, after %u tr%s; the last: %.160s", doing(c), c->kept.failed,
			 c->kept.failed == 1 ? "y" : "ies", c->why);
	else
		snprintf(why, sizeof(why), "the time is up while %s", doing(c));
	memcpy(c->why, why, sizeof(why));
	return give_up_trying(c, -ETIMEDOUT);
}

/* ---- a try ---- */

static int left_ms(const struct vx_cm_client_state *c)
{
	return vx_left_ms(c->init.timeout_ms, c->start);
}

/* The kernel takes no time that is for ever. */
static int resolving_ms(const struct vx_cm_client_state *c)
{
	const int left = left_ms(c);

	return left < 0 ? INT_MAX : left ? left : 1;
}

static int try_again(struct vx_cm_client_state *c);

static int begin_try(struct vx_cm_client_state *c)
{
	int rc = vx_cm_id_create(c->channel, NULL, &c->id);

	c->at = VX_CM_ADDRESS;
	if (rc == 0) {
		c->raw = vx_cm_id_raw(c->id);
		c->serial = ((const struct vx_node *)c->id)->serial;
		rc = vx_cm_id_resolve_addr(c->id, c->to->ai_src_addr, c->to->ai_dst_addr, resolving_ms(c));
	}
	if (rc == 0)
		return 0;
	note(c, rc, vx_error_text());
	return c->to->ai_next ? try_again(c) : give_up_trying(c, rc);
}

/* Nothing of it is closed meanwhile: without its QP there would be nothing to connect. */
static int prepare(struct vx_cm_client_state *c, struct vx_qp *qp)
{
	int rc = 0;

	if (c->init.prepare)
		VX_CALLING((struct vx_node *)c->handle, VX_CALLING((struct vx_node *)qp, rc = c->init.prepare(c->handle, c->init.data)));
	return rc;
}

static int ask(struct vx_cm_client_state *c)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);
	struct vx_qp *qp;
	int rc = vx_cm_qp_create(c->id, &c->qp, &qp);

	param.private_data = c->data;
	param.private_data_len = (uint8_t)c->init.private_data_len;
	if (rc == 0 && (rc = prepare(c, qp)) != 0) {
		note(c, rc, "prepare returned that");
		return give_up_trying(c, rc < 0 ? rc : -ECANCELED);
	}
	if (rc == 0)
		rc = vx_cm_id_connect(c->id, &param);
	return rc;
}

/* The next address, or the first again after a pause. */
static int try_again(struct vx_cm_client_state *c)
{
	const bool is_first = !c->pause_start;
	int rc;

	c->kept.failed++;
	c->to = c->to->ai_next;
	if (!c->to && c->init.retries-- == 0)
		return give_up_trying(c, c->rc);
	rc = close_id(c);
	if (rc < 0)
		return fail_as_recorded(c, rc);
	if (c->to)
		return begin_try(c);
	c->to = vx_cm_addrinfo_raw(c->found);
	c->at = VX_CM_PAUSING;
	c->pause_start = vx_now_ms();
	if (!is_first)
		c->pause_ms = 2 * c->pause_ms < LONGEST_PAUSE_MS ? 2 * c->pause_ms : LONGEST_PAUSE_MS;
	return 0;
}

/* ---- events ---- */

static void keep_answer(struct vx_cm_client_state *c, const struct vx_cm_event *event)
{
	c->has_answer = event->conn;
	if (!c->has_answer)
		return;
	c->answer = *event->conn;
	if (c->answer.private_data)
		c->answer.private_data = memcpy(c->told, c->answer.private_data, c->answer.private_data_len);
}

static int try_failed(struct vx_cm_client_state *c, const struct vx_cm_event *event)
{
	char text[VX_CM_LONGEST_WHY];

	if (event->type == RDMA_CM_EVENT_REJECTED)
		keep_answer(c, event);
	vx_cm_event_text(text, sizeof(text), event);
	note(c, event->status ? event->status : -EIO, text);
	return try_again(c);
}

/* The peer waits for an answer to that; and what the QP had to do is flushed. */
static VX_COLD int has_ended(struct vx_cm_client_state *c)
{
	VX_QUIETLY(vx_cm_id_disconnect(c->id));
	snprintf(c->why, sizeof(c->why), "the connection has ended");
	c->at = VX_CM_OVER; /* with its id and QP, which the program may look at */
	c->kept.established = false;
	c->rc = -ENOTCONN;
	return vx_fail(c->rc, c->call, VX_NAME(c->handle), "%s", c->why);
}

static VX_COLD int has_lost(struct vx_cm_client_state *c, const char *what)
{
	note(c, -ECANCELED, what);
	return give_up_trying(c, -ECANCELED);
}

static VX_COLD int has_lost_id(struct vx_cm_client_state *c)
{
	c->id = NULL;
	return c->at == VX_CM_CONNECTED ? has_ended(c) : has_lost(c, "its id was closed");
}

static int go_on(struct vx_cm_client_state *c, int rc, enum vx_cm_at at)
{
	if (rc < 0)
		return c->at == VX_CM_OVER ? rc : fail_as_recorded(c, rc);
	c->at = at;
	return 0;
}

static int go_by(struct vx_cm_client_state *c, const struct vx_cm_event *event)
{
	switch (event->type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		c->at = VX_CM_ROUTE;
		return go_on(c, vx_cm_id_resolve_route(c->id, resolving_ms(c)), VX_CM_ROUTE);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		c->at = VX_CM_REQUEST;
		return go_on(c, ask(c), VX_CM_REQUEST);
	case RDMA_CM_EVENT_ESTABLISHED:
		keep_answer(c, event);
		c->at = VX_CM_CONNECTED;
		c->kept.established = true;
		return 0;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		return c->at == VX_CM_CONNECTED ? has_ended(c) : try_failed(c, event);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		/* of others the answer comes to librdmacm alone, which brings the QP up */
		return has_lost(c, "its QP was closed");
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return has_ended(c);
	default:
		return 0;
	}
}

/* Closing the id acknowledges its events, this one too. */
static int take_event(struct vx_cm_client_state *c)
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

static bool is_paused(const struct vx_cm_client_state *c)
{
	return c->at == VX_CM_PAUSING && vx_left_ms(c->pause_ms, c->pause_start) > 0;
}

static int step(struct vx_cm_client_state *c)
{
	int rc = 0;

	if (c->id && !vx_cm_client_id_of(c))
		return has_lost_id(c);
	if (c->at == VX_CM_NOTHING || (c->at == VX_CM_PAUSING && !is_paused(c)))
		rc = begin_try(c);
	while (rc == 0)
		rc = take_event(c);
	if (rc == -EAGAIN && c->at == VX_CM_CONNECTED)
		return 0;
	if (rc == -EAGAIN)
		return left_ms(c) ? rc : time_is_up(c);
	return c->at == VX_CM_OVER ? rc : fail_as_recorded(c, rc);
}

int vx_cm_client_step(struct vx_cm_client *client)
{
	struct vx_cm_client_state *c;

	if (vx_is_no_cm_client(client, VX_CM_CLIENT_STEP))
		return -EINVAL;
	c = vx_cm_client_state_of(client);
	if (c->at == VX_CM_OVER)
		return vx_fail(c->rc, VX_CM_CLIENT_STEP, VX_NAME(client), "it is over: %s", c->why);
	return step(c);
}

int vx_cm_client_left_ms(const struct vx_cm_client *client)
{
	const struct vx_cm_client_state *c;
	int left, pause;

	if (vx_is_no_cm_client(client, "vx_cm_client_left_ms"))
		return 0;
	c = vx_cm_client_state_of(client);
	if (c->at == VX_CM_NOTHING)
		return 0;
	if (c->at == VX_CM_CONNECTED || c->at == VX_CM_OVER)
		return -1;
	left = left_ms(c);
	pause = c->at == VX_CM_PAUSING ? vx_left_ms(c->pause_ms, c->pause_start) : -1;
	return left < 0 || (pause >= 0 && pause < left) ? pause : left;
}

/* ---- asking ---- */

int vx_cm_client_fd(const struct vx_cm_client *client)
{
	return vx_is_no_cm_client(client, "vx_cm_client_fd") ? -EINVAL : vx_cm_channel_raw(vx_cm_client_state_of(client)->channel)->fd;
}

struct vx_cm_id *vx_cm_client_id(const struct vx_cm_client *client)
{
	return vx_is_no_cm_client(client, "vx_cm_client_id") ? NULL : vx_cm_client_id_of(vx_cm_client_state_of(client));
}

/* By the raw one, as it may be closed with what it depends on. */
struct vx_qp *vx_cm_client_qp(const struct vx_cm_client *client)
{
	const struct vx_cm_id *id = vx_is_no_cm_client(client, "vx_cm_client_qp") ? NULL : vx_cm_client_id_of(vx_cm_client_state_of(client));

	return id ? vx_handle_of(vx_cm_id_raw(id)->qp, VX_OBJECT_QP) : NULL;
}

const struct rdma_conn_param *vx_cm_client_answer(const struct vx_cm_client *client)
{
	return vx_is_no_cm_client(client, "vx_cm_client_answer") || !vx_cm_client_state_of(client)->has_answer ? NULL : &vx_cm_client_state_of(client)->answer;
}
