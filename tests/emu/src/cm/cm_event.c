/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Events: a queue for each channel. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/real.h"
#include "cm/cm.h"
#include "objects/object.h"
#include "trace.h"

/* What libraries without enhanced connection establishment have room for */
#define SMALLEST offsetof(struct rdma_ucm_event_resp, reserved)

static void count_up(struct cm_file *f)
{
	if (REAL(write)(f->count_fd, "", 1) < 0)
		complain("an event of rdma_cm is not seen: %m");
}

static void count_down(struct cm_file *f)
{
	char one;

	if (REAL(read)(f->event_fd, &one, sizeof(one)) < 0)
		complain("an event of rdma_cm is seen for ever: %m");
}

struct cm_event *cm_event_post(struct cm_id *id, enum cm_event_type type, int status)
{
	/* The program knows an id that was made for a request only when it has accepted */
	static struct cm_event nobody;
	struct cm_event *e = id->uid ? calloc(1, sizeof(*e)) : &nobody;

	if (e == &nobody)
		return e;
	if (!e)
		abort(); /* nobody could ever get over an event that is missing */
	e->id = id;
	e->resp.uid = id->uid;
	e->resp.id = id->number;
	e->resp.event = type;
	e->resp.status = (uint32_t)status;
	STAILQ_INSERT_TAIL(&id->file->events, e, link);
	count_up(id->file);
	TRACE("rdma_cm id %u: event %d status %d", id->number, type, status);
	return e;
}

static void take_out(struct cm_file *f, struct cm_event *e)
{
	STAILQ_REMOVE(&f->events, e, cm_event, link);
	count_down(f);
}

/*
 * The queue is empty: the device lock is given up meanwhile. 0 or an errno. The program's descriptor may be closed by now, but
 * ours, which is a copy, is of the same file
 */
static int wait_for_event(const struct cm_file *f)
{
	struct pollfd p = { .fd = f->event_fd, .events = POLLIN };
	int rc;

	if (REAL(fcntl)(f->event_fd, F_GETFL) & O_NONBLOCK)
		return EAGAIN;
	pthread_mutex_unlock(&device_lock);
	rc = poll(&p, 1, -1) < 0 ? errno : 0;
	pthread_mutex_lock(&device_lock);
	return rc;
}

static void tell(struct cm_event *e, uint64_t response, size_t out)
{
	e->id->reported++;
	if (e->group)
		e->group->reported++;
	if (e->resp.event == CM_CONNECT_REQUEST)
		e->id->backlog++;
	cm_reply(response, &e->resp, sizeof(e->resp), out);
}

int cm_event_get(struct cm_file *f, const void *body, size_t out)
{
	const struct rdma_ucm_get_event *c = body;
	struct cm_event *e;
	int rc = out < SMALLEST ? ENOSPC : 0;

	while (!rc && STAILQ_EMPTY(&f->events))
		rc = wait_for_event(f);
	if (rc)
		return rc;
	e = STAILQ_FIRST(&f->events);
	take_out(f, e);
	tell(e, c->response, out);
	free(e);
	return 0;
}

/* A request that nobody has fetched owns the id that was made for it */
static void drop(struct cm_file *f, struct cm_event *e)
{
	take_out(f, e);
	if (e->fresh)
		cm_id_destroy(e->fresh);
	free(e);
}

static struct cm_event *first_of(struct cm_id *id, struct cm_group *group)
{
	struct cm_event *e;

	STAILQ_FOREACH(e, &id->file->events, link)
	{
		if (e->id == id && (!group || e->group == group))
			return e;
	}
	return NULL;
}

void cm_event_drop_of(struct cm_id *id, struct cm_group *group)
{
	struct cm_event *e;

	while ((e = first_of(id, group)))
		drop(id->file, e);
}

void cm_event_move(struct cm_id *id, struct cm_file *to)
{
	struct cm_file *from = id->file;
	struct cm_event *e;

	while (from != to && (e = first_of(id, NULL))) {
		take_out(from, e);
		STAILQ_INSERT_TAIL(&to->events, e, link);
		count_up(to);
		if (e->fresh)
			e->fresh->file = to;
	}
	id->file = to;
}
