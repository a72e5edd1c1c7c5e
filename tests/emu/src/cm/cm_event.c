/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Events: a queue for each channel. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"
#include "trace.h"

/* What libraries without enhanced connection establishment have room for */
#define SMALLEST offsetof(struct rdma_ucm_event_resp, reserved)

#define EVENT "an event of rdma_cm"

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
	ready_up(&id->file->ready, EVENT);
	TRACE("rdma_cm id %u: event %d status %d", id->number, type, status);
	return e;
}

static void take_out(struct cm_file *f, struct cm_event *e)
{
	STAILQ_REMOVE(&f->events, e, cm_event, link);
	ready_down(&f->ready, EVENT);
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
		rc = ready_wait(&f->ready);
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

void cm_event_drop_all(struct cm_file *f)
{
	while (!STAILQ_EMPTY(&f->events))
		drop(f, STAILQ_FIRST(&f->events));
}

void cm_event_move(struct cm_id *id, struct cm_file *to)
{
	struct cm_file *from = id->file;
	struct cm_event *e;

	while (from != to && (e = first_of(id, NULL))) {
		take_out(from, e);
		STAILQ_INSERT_TAIL(&to->events, e, link);
		ready_up(&to->ready, EVENT);
		if (e->fresh)
			e->fresh->file = to;
	}
	id->file = to;
}
