/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "inbound.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "opcode.h"
#include "port.h"
#include "port_state.h"
#include "qp.h"
#include "request.h"
#include "tap.h"

/* A request that is not complete: each requester has one at a time */
struct arrival {
	LIST_ENTRY(arrival) link;
	uint32_t place, qpn;
	struct parcel parcel;
};

/* An answer that is not yet sent */
struct departure {
	TAILQ_ENTRY(departure) link;
	struct message m;
};

static LIST_HEAD(, arrival) arrivals = LIST_HEAD_INITIALIZER(arrivals);
static TAILQ_HEAD(, departure) departures = TAILQ_HEAD_INITIALIZER(departures);

static struct arrival *arrival_of(const struct header *h)
{
	struct arrival *a;

	LIST_FOREACH(a, &arrivals, link)
	{
		if (a->place == h->place && a->qpn == h->qpn)
			return a;
	}
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->place = h->place;
	a->qpn = h->qpn;
	LIST_INSERT_HEAD(&arrivals, a, link);
	return a;
}

static void free_arrival(struct arrival *a)
{
	LIST_REMOVE(a, link);
	free(a->parcel.data);
	free(a);
}

static void free_departure(struct departure *d)
{
	TAILQ_REMOVE(&departures, d, link);
	free(d->m.data);
	free(d);
}

bool inbound_push(void)
{
	struct departure *d = TAILQ_FIRST(&departures), *next;

	for (; d; d = next) {
		next = TAILQ_NEXT(d, link);
		if (message_push(&d->m) != FABRIC_FULL)
			free_departure(d);
	}
	return !TAILQ_EMPTY(&departures);
}

/* The data go with the answer */
static void answer(const struct header *h, struct request *r, int rc)
{
	struct departure *d = calloc(1, sizeof(*d));

	if (!d) {
		free(r->data);
		return;
	}
	message_init(&d->m, MESSAGE_ANSWER, rc ? 0 : r->response_len);
	fabric_name_place(d->m.to, h->place);
	d->m.h.qpn = h->qpn;
	d->m.h.id = h->id;
	d->m.h.answer = rc;
	d->m.h.rnr_timer = r->rnr_timer;
	d->m.data = r->data;
	TAILQ_INSERT_TAIL(&departures, d, link);
	inbound_push();
}

static bool is_acknowledged(const struct packet *p)
{
	return p->service != SERVICE_UC && p->service != SERVICE_UD;
}

static int respond_if_up(struct request *r)
{
	const struct port *port = packet_port(&r->p);

	if (!opcode_find(r->p.opcode) || !opcode_find(r->p.opcode)->respond || !port_is_up(port))
		return STALL_PEER;
	return respond(r);
}

/* @data is taken over, and is as long as the request, whichever way the data go */
static void execute(const struct header *h, uint8_t *data)
{
	struct request r = { .p = h->p, .data = data };
	int rc;

	tap_request(&r.p, NULL);
	rc = respond_if_up(&r);
	tap_answer(&r.p, &(struct answer){ rc, r.response_len, r.rnr_timer }, NULL);
	if (is_acknowledged(&r.p))
		answer(h, &r, rc);
	else
		free(r.data);
}

/* Room for what the request asks for */
static uint8_t *take_data(struct parcel *p, uint32_t len)
{
	uint8_t *data = p->len < len ? realloc(p->data, len) : p->data;

	if (data)
		p->data = NULL;
	return data;
}

void inbound_add(const struct header *h, const uint8_t *data, uint32_t n)
{
	struct arrival *a = arrival_of(h);
	int rc = a ? parcel_add(&a->parcel, h, data, n) : -1;

	if (rc == 0 || !a)
		return;
	if (rc > 0 && h->p.len <= MAX_MESSAGE) {
		uint8_t *all = take_data(&a->parcel, h->p.len);

		if (all)
			execute(h, all);
	}
	free_arrival(a);
}

void inbound_forget(void)
{
	while (!LIST_EMPTY(&arrivals))
		free_arrival(LIST_FIRST(&arrivals));
	while (!TAILQ_EMPTY(&departures))
		free_departure(TAILQ_FIRST(&departures));
}
