/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Servers: what their events lead to. */

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>

#include <rdma/rdma_cma.h>

#include <verbsx/defaults.h>

#include "cm/cm_server.h"
#include "error/fail.h"
#include "object/event.h"
#include "object/wake.h"

/* ---- connections ---- */

/* One of no connection that could not be closed has the server itself in it. */
static bool is_to_be_closed(const struct vx_cm_server_state *s, const struct vx_cm_id *id)
{
	return vx_cm_id_raw(id)->context == s;
}

/* An id is found by what the server leaves in it, however many there are. */
static struct vx_cm_one *one_of(const struct vx_cm_server_state *s, const struct vx_cm_id *id)
{
	return is_to_be_closed(s, id) ? NULL : vx_cm_id_raw(id)->context;
}

static void add_one(struct vx_cm_server_state *s, struct vx_cm_one *one)
{
	one->next = s->first;
	if (one->next)
		one->next->before = one;
	s->first = one;
	s->kept.count++;
	vx_cm_id_raw(one->seen.id)->context = one;
}

static void remove_one(struct vx_cm_server_state *s, struct vx_cm_one *one)
{
	vx_cm_id_raw(one->seen.id)->context = NULL;
	if (s->next == one)
		s->next = one->next;
	if (one->next)
		one->next->before = one->before;
	*(one->before ? &one->before->next : &s->first) = one->next;
	s->kept.count--;
}

/* It goes with the first of what it depends on. Who closed that may not be in a step, and a request may wait for its place. */
static int end_one(struct vx_node *node)
{
	struct vx_cm_one *one = vx_node_extra(node);
	struct vx_cm_server_state *s = vx_cm_server_state_of(one->seen.server);

	remove_one(s, one);
	if (s->queued)
		vx_ring(s->wake);
	if (s->init.disconnected)
		s->init.disconnected(&one->seen, one->status, s->init.data);
	return 0;
}

/* What cannot be closed now, as this thread is in the loop over a CQ of it, is closed by the next step. */
static int close_one(struct vx_cm_one *one)
{
	struct vx_cm_server_state *s = vx_cm_server_state_of(one->seen.server);
	const int rc = vx_close(one->seen.id);

	s->left |= rc < 0;
	if (rc == -EDEADLK)
		vx_ring(s->wake);
	return rc;
}

/* Both sides of a QP that is in ERR are told, and what it had to do is flushed before the program hears of it. */
static int finish(struct vx_cm_one *one, int status)
{
	one->status = status;
	VX_QUIETLY(vx_cm_id_disconnect(one->seen.id));
	one->has_ended = true;
	return vx_node_is_calling(one->node) ? 0 : close_one(one);
}

/* The program holds it, and cannot close it; but a step that it takes there may hear of its end. */
static int tell_established(struct vx_cm_server_state *s, struct vx_cm_one *one)
{
	if (!one)
		return 0;
	one->is_established = true;
	if (!s->init.established)
		return 0;
	VX_CALLING(one->node, pthread_setcancelstate(s->cancelling, NULL);
			      s->init.established(&one->seen, s->init.data);
			      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	return one->has_ended ? close_one(one) : 0;
}

/* ---- requests ---- */

/* Later, where that cannot be now: this thread is in the loop over a CQ of its QP, or the kernel refuses. */
static int close_or_leave(struct vx_cm_server_state *s, struct vx_cm_id *id)
{
	const int rc = vx_close(id);

	if (rc < 0) {
		vx_cm_id_raw(id)->context = s;
		s->left = true;
	}
	return rc;
}

/* What this fails with is nothing to what it was rejected for. */
static void reject(struct vx_cm_server_state *s, struct vx_cm_id *id, const struct rdma_conn_param *answer)
{
	vx_error_try();
	vx_cm_id_reject(id, answer ? answer->private_data : NULL, answer ? answer->private_data_len : 0);
	close_or_leave(s, id);
	vx_error_tried(0);
}

/* The program says yes or no, while neither the id nor the QP can be closed, nor the thread cancelled; but stopping the server acknowledges the event. */
static bool is_welcome(struct vx_cm_server_state *s, struct vx_cm_one *one, const struct vx_cm_event *event, struct rdma_conn_param *answer)
{
	struct rdma_conn_param offer = *event->conn;
	char told[UINT8_MAX];
	bool is;

	if (offer.private_data)
		offer.private_data = memcpy(told, offer.private_data, offer.private_data_len);
	one->seen.offer = &offer;
	one->seen.answer = answer;
	s->asking++;
	is = !s->init.request || s->init.request(&one->seen, s->init.data) == 0;
	s->asking--;
	one->seen.offer = NULL;
	one->seen.answer = NULL;
	return is && s->listener;
}

/* @return 1: it was not welcome */
static int welcome(struct vx_cm_server_state *s, struct vx_node *node, const struct vx_cm_event *event, struct rdma_conn_param *answer)
{
	struct vx_cm_one *one = vx_node_extra(node);
	int rc = is_welcome(s, one, event, answer) ? vx_cm_id_accept(event->id, answer) : 1;
	void *made;

	if (rc) {
		vx_node_drop(node);
		return rc;
	}
	add_one(s, one);
	return vx_node_link(node, one, &made);
}

static int serve(struct vx_cm_server_state *s, const struct vx_cm_event *event, struct rdma_conn_param *answer)
{
	void *uses[] = { event->id, NULL, s->handle };
	struct vx_node *node;
	struct vx_qp *qp;
	int rc;

	rc = vx_cm_qp_create(event->id, &s->qp, &qp);
	if (rc < 0)
		return rc;
	uses[1] = qp;
	node = vx_node_new(sizeof(struct vx_cm_one), VX_OBJECT_CM_LINK, end_one, uses, 3, "vx_cm_server_step");
	if (!node)
		return vx_error()->code;
	*(struct vx_cm_one *)vx_node_extra(node) = (struct vx_cm_one){ .seen = { .server = s->handle, .id = event->id, .qp = qp },
								       .node = node, .status = -ECANCELED };
	return welcome(s, node, event, answer);
}

static void serve_or_reject(struct vx_cm_server_state *s, struct vx_cm_event *event)
{
	struct rdma_conn_param answer = VX_DEFAULT(rdma_conn_param);
	int rc = serve(s, event, &answer);

	if (rc)
		reject(s, event->id, rc > 0 ? &answer : NULL);
	vx_cm_event_ack(event);
	if (rc < 0 && s->init.failed)
		s->init.failed(rc, s->init.data);
}

/* ---- back-pressure ---- */

static bool is_full(const struct vx_cm_server_state *s)
{
	return s->init.most && s->kept.count + s->asking >= s->init.most;
}

static struct vx_cm_waiting *queued(const struct vx_cm_server_state *s, uint32_t place)
{
	return &s->queue[(s->head + place) % s->init.waiting];
}

static struct vx_cm_waiting take_queued(struct vx_cm_server_state *s)
{
	struct vx_cm_waiting waiting = *queued(s, 0);

	s->head = (s->head + 1) % s->init.waiting;
	s->queued--;
	return waiting;
}

/* The kernel tells nobody of a request that has not been accepted; but of who took it back it knows no more what its QP is to be like. */
static bool is_still_asked(const struct vx_cm_waiting *waiting)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int rc, mask;

	if (!waiting->event.id)
		return false;
	VX_QUIETLY(rc = vx_cm_id_init_qp_attr(waiting->event.id, &attr, &mask));
	return rc == 0;
}

static void turn_away(struct vx_cm_server_state *s, struct vx_cm_event *event)
{
	if (!event->id)
		return;
	reject(s, event->id, NULL);
	vx_cm_event_ack(event);
}

/* Who gave up without a word, as of a lost network, is known by the time alone. They are in its order. */
void vx_cm_turn_away_late(struct vx_cm_server_state *s, int waiting_ms)
{
	struct vx_cm_waiting waiting;

	while (s->queued && !vx_left_ms(waiting_ms, queued(s, 0)->since)) {
		waiting = take_queued(s);
		turn_away(s, &waiting.event);
	}
}

static void set_clock(struct vx_cm_server_state *s)
{
	const int64_t since = s->queued && s->init.waiting_ms > 0 ? queued(s, 0)->since : 0;
	const int left = since ? vx_left_ms(s->init.waiting_ms, since) : 0;
	const struct itimerspec at = { .it_value = { left / 1000, left % 1000 * 1000000L + !!since } }; /* 0 is none */

	if (since == s->rings_for)
		return;
	timerfd_settime(s->clock, 0, &at, NULL);
	s->rings_for = since;
}

static void serve_queued(struct vx_cm_server_state *s)
{
	struct vx_cm_waiting waiting;

	while (s->queued && !is_full(s)) {
		waiting = take_queued(s);
		if (is_still_asked(&waiting))
			serve_or_reject(s, &waiting.event);
		else
			turn_away(s, &waiting.event);
	}
}

/* Those who gave up waiting keep no place from others, who keep their order. */
static void forget_gone(struct vx_cm_server_state *s)
{
	struct vx_cm_waiting waiting;
	uint32_t left;

	for (left = s->queued; left; left--) {
		waiting = take_queued(s);
		if (is_still_asked(&waiting))
			*queued(s, s->queued++) = waiting;
		else
			turn_away(s, &waiting.event);
	}
}

static void hear_request(struct vx_cm_server_state *s, struct vx_cm_event *event)
{
	if (s->listener && !is_full(s)) {
		serve_or_reject(s, event);
		return;
	}
	if (s->listener && s->queued == s->init.waiting)
		forget_gone(s);
	if (s->listener && s->queued < s->init.waiting)
		*queued(s, s->queued++) = (struct vx_cm_waiting){ *event, vx_now_ms() };
	else
		turn_away(s, event);
}

/* ---- events ---- */

/* The device of who waits is gone, or what is left of a connection whose QP was closed hears of its end. */
static int end_stranger(struct vx_cm_server_state *s, struct vx_cm_id *id)
{
	uint32_t i;

	for (i = 0; i < s->queued; i++)
		if (queued(s, i)->event.id == id) {
			vx_cm_event_ack(&queued(s, i)->event);
			queued(s, i)->event.id = NULL;
		}
	return close_or_leave(s, id);
}

static int lose_listener(struct vx_cm_server_state *s)
{
	const int rc = vx_fail(-ENODEV, "vx_cm_server_step", VX_NAME(s->listener), VX_DEVICE_LOST);

	if (s->init.failed)
		s->init.failed(rc, s->init.data);
	return 0;
}

static int end_by(struct vx_cm_server_state *s, struct vx_cm_id *id, int status)
{
	if (id == s->listener)
		return lose_listener(s);
	return one_of(s, id) ? finish(one_of(s, id), status) : end_stranger(s, id);
}

static int serve_event(struct vx_cm_server_state *s, struct vx_cm_event *event)
{
	struct vx_cm_id *id = event->id;

	switch (event->type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		hear_request(s, event);
		return 0;
	case RDMA_CM_EVENT_ESTABLISHED:
		return tell_established(s, one_of(s, id));
	case RDMA_CM_EVENT_DISCONNECTED:
		return end_by(s, id, 0);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return end_by(s, id, -ENODEV);
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		return end_by(s, id, event->status ? event->status : -ECONNABORTED);
	default:
		return 0;
	}
}

/* A request is acknowledged when it is dealt with: it may have to wait. */
static int take_server_event(struct vx_cm_server_state *s)
{
	struct vx_cm_event event;
	int rc = vx_cm_channel_get_event(s->channel, 0, &event);

	if (rc < 0)
		return rc;
	if (event.type != RDMA_CM_EVENT_CONNECT_REQUEST)
		vx_cm_event_ack(&event);
	return event.id ? serve_event(s, &event) : 0;
}

static struct vx_cm_id *first_to_be_closed(const struct vx_cm_server_state *s)
{
	const struct vx_edge *edge;

	vx_graph_lock();
	edge = ((const struct vx_node *)s->channel)->users;
	while (edge && !is_to_be_closed(s, (const struct vx_cm_id *)edge->user))
		edge = edge->older;
	vx_graph_unlock();
	return edge ? (struct vx_cm_id *)edge->user : NULL;
}

/* Of these nobody was told, and nobody is told that they still cannot be. */
static void close_ids(struct vx_cm_server_state *s)
{
	struct vx_cm_id *id;

	vx_error_try();
	while ((id = first_to_be_closed(s)) && close_or_leave(s, id) == 0)
		;
	vx_error_tried(0);
}

static int close_left(struct vx_cm_server_state *s)
{
	struct vx_cm_one *one;
	int rc = 0;

	s->left = false;
	close_ids(s);
	for (s->next = s->first; rc == 0 && (one = s->next);) {
		s->next = one->next;
		if (one->has_ended && !vx_node_is_calling(one->node))
			rc = close_one(one);
	}
	return rc;
}

int vx_cm_take_server_events(struct vx_cm_server_state *s, int num_events)
{
	int rc = s->left ? close_left(s) : 0, count = 0;

	vx_cm_turn_away_late(s, s->init.waiting_ms);
	while (rc == 0 && count < num_events && (rc = take_server_event(s)) == 0) {
		count++;
		serve_queued(s);
	}
	serve_queued(s);
	set_clock(s);
	return rc < 0 && rc != -EAGAIN ? rc : count;
}
