/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Servers: how long they run. */

#include <errno.h>
#include <poll.h>

#include "cm/cm_server.h"
#include "error/fail.h"
#include "object/event.h"
#include "object/wake.h"

#define BATCH 64 /* events a step */

/* ---- a step ---- */

/* A thread that is cancelled in the midst of a request would leave it without an answer. */
static int take_not_cancelled(struct vx_cm_server_state *s, int num_events)
{
	const int before = s->cancelling;
	int rc;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &s->cancelling);
	rc = vx_cm_take_server_events(s, num_events);
	pthread_setcancelstate(s->cancelling, NULL);
	s->cancelling = before;
	return rc;
}

int vx_cm_server_step(struct vx_cm_server *server, int num_events)
{
	struct vx_cm_server_state *s;
	int rc;

	if (vx_is_no_cm_server(server, "vx_cm_server_step"))
		return -EINVAL;
	if (num_events < 1)
		return vx_fail(-EINVAL, "vx_cm_server_step", NULL, "num_events = %d, and must be 1 at least", num_events);
	s = vx_cm_server_state_of(server);
	vx_unring(s->wake);
	vx_node_call_begins((struct vx_node *)server);
	pthread_cleanup_push(vx_node_call_ends, server);
	rc = take_not_cancelled(s, num_events);
	pthread_cleanup_pop(1);
	return rc;
}

/* ---- running ---- */

static int sleep_for(const struct vx_cm_server_state *s, int timeout_ms)
{
	struct pollfd entry = { s->watched, POLLIN, 0 };

	return poll(&entry, 1, timeout_ms) < 0 ? vx_fail(-errno, "poll", VX_NAME(s->handle), NULL) : 0;
}

static bool was_woken(struct vx_cm_server_state *s)
{
	return __atomic_exchange_n(&s->woken, false, __ATOMIC_ACQUIRE);
}

/* Once more when the time is up: it may have come meanwhile. */
static int take_steps(struct vx_cm_server *server, bool (*is_done)(struct vx_cm_server_state *s), int timeout_ms)
{
	struct vx_cm_server_state *s = vx_cm_server_state_of(server);
	const int64_t start = vx_now_ms();
	int rc, left;

	do {
		left = vx_left_ms(timeout_ms, start);
		rc = vx_cm_server_step(server, BATCH);
		if (rc >= 0 && is_done(s))
			return 0;
		if (rc == 0 && left)
			rc = sleep_for(s, left);
	} while (rc >= 0 && left);
	return rc < 0 ? rc : -EAGAIN;
}

/* Nobody closes it meanwhile, also where this sleeps. */
static int step_until(struct vx_cm_server *server, bool (*is_done)(struct vx_cm_server_state *s), int timeout_ms)
{
	int rc;

	vx_node_call_begins((struct vx_node *)server);
	pthread_cleanup_push(vx_node_call_ends, server);
	rc = take_steps(server, is_done, timeout_ms);
	pthread_cleanup_pop(1);
	return rc;
}

int vx_cm_server_run(struct vx_cm_server *server, int timeout_ms)
{
	return vx_is_no_cm_server(server, "vx_cm_server_run") ? -EINVAL : step_until(server, was_woken, timeout_ms);
}

void vx_cm_server_wake(struct vx_cm_server *server)
{
	struct vx_cm_server_state *s;

	if (vx_is_no_cm_server(server, "vx_cm_server_wake"))
		return;
	s = vx_cm_server_state_of(server);
	__atomic_store_n(&s->woken, true, __ATOMIC_RELEASE);
	vx_ring(s->wake);
}

/* ---- stopping ---- */

static bool all_have_ended(struct vx_cm_server_state *s)
{
	return !s->kept.count;
}

static int stop_listening(struct vx_cm_server_state *s)
{
	struct vx_cm_id *listener = s->listener;
	int rc;

	s->listener = NULL;
	vx_cm_reject_queued(s);
	rc = vx_close(listener);
	if (rc < 0)
		s->listener = listener;
	else
		s->kept.port = 0;
	return rc;
}

/* One that is not established, or has heard of its end already, has nothing to wait for. */
static void disconnect_all(struct vx_cm_server_state *s)
{
	struct vx_cm_one *one;

	vx_error_try();
	for (s->next = s->first; (one = s->next);) {
		s->next = one->next;
		if (!one->is_established || one->has_ended || vx_cm_id_disconnect(one->seen.id) < 0)
			vx_close(one->seen.id);
	}
	vx_error_tried(0);
}

int vx_cm_server_stop(struct vx_cm_server *server, int timeout_ms)
{
	struct vx_cm_server_state *s;
	int rc;

	if (vx_is_no_cm_server(server, "vx_cm_server_stop"))
		return -EINVAL;
	s = vx_cm_server_state_of(server);
	if (s->listener) {
		rc = stop_listening(s);
		if (rc < 0)
			return rc;
		disconnect_all(s);
	}
	if (all_have_ended(s))
		return 0;
	return timeout_ms ? step_until(server, all_have_ended, timeout_ms) : -EAGAIN;
}

/* ---- asking ---- */

int vx_cm_server_fd(const struct vx_cm_server *server)
{
	return vx_is_no_cm_server(server, "vx_cm_server_fd") ? -EINVAL : vx_cm_server_state_of(server)->watched;
}

uint16_t vx_cm_server_port(const struct vx_cm_server *server)
{
	return vx_is_no_cm_server(server, "vx_cm_server_port") ? 0 : (uint16_t)vx_cm_server_state_of(server)->kept.port;
}

uint32_t vx_cm_server_count(const struct vx_cm_server *server)
{
	return vx_is_no_cm_server(server, "vx_cm_server_count") ? 0 : vx_cm_server_state_of(server)->kept.count;
}
