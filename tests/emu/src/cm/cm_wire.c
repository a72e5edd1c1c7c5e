/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Messages of the CM on their way: to an id of this process by a queue, so that nothing is
 * called in the middle of something, to another process by the fabric. What wants an answer is
 * sent again until one comes.
 */
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"
#include "engine/clock.h"
#include "engine/wake.h"
#include "faults/fault.h"
#include "faults/tap.h"
#include "objects/port.h"
#include "packets/link.h"
#include "packets/message.h"

/* A peer is asked at once again when it could not read, else after a time, so often */
#define SOON (1 * NS_PER_MS)
#define AGAIN_AFTER (250 * NS_PER_MS)
#define TRIES 15

/*
 * How long packets of a connection that is over may still be under way: with the kernel seconds, by when many programs
 * have closed their channel
 */
#define TIMEWAIT (500 * NS_PER_MS)

/*
 * How much longer a try is waited for when an MRA asks for it; with the kernel more than a minute. There are not more tries
 * for that: a peer that is there and never answers is given up, and an answer that is lost is asked for again
 */
#define SERVICE_TIMEOUT (1000 * NS_PER_MS)

/* One that is connected, whether it is still there */
#define ALIVE_EVERY (200 * NS_PER_MS)

struct letter {
	STAILQ_ENTRY(letter) link;
	unsigned int place; /* of the sender */
	struct cm_mad m;
};
static STAILQ_HEAD(, letter) letters = STAILQ_HEAD_INITIALIZER(letters);

/* One that is late on purpose */
struct departure {
	STAILQ_ENTRY(departure) link;
	uint64_t due; /* ns */
	bool here;
	struct address to;
	struct cm_mad m;
};
static STAILQ_HEAD(, departure) departures = STAILQ_HEAD_INITIALIZER(departures);

/* Those that something is due for, and a time before which that is for none of them: most are connected, and wait long */
static struct cm_id_list waiting = LIST_HEAD_INITIALIZER(waiting);
static uint64_t nothing_before;

/* 0: never */
static void set_due(struct cm_id *id, uint64_t due)
{
	if (due && !id->due)
		LIST_INSERT_HEAD(&waiting, id, waits);
	else if (!due && id->due)
		LIST_REMOVE(id, waits);
	id->due = due;
	if (due && due < nothing_before)
		nothing_before = due;
}

void cm_wait_for_nothing(struct cm_id *id)
{
	set_due(id, 0);
}

void cm_forget_waiting(void)
{
	LIST_INIT(&waiting);
}

static void send_here(const struct cm_mad *m)
{
	struct letter *l = malloc(sizeof(*l));

	if (!l)
		return;
	l->place = fabric_place();
	l->m = *m;
	STAILQ_INSERT_TAIL(&letters, l, link);
	wake_up();
}

static bool is_to_our_address(const struct cm_id *id)
{
	return id->port->ethernet ? !!port_by_gid(id->dgid) : !!port_by_lid(id->dlid);
}

static struct address peer_of(const struct cm_id *id)
{
	if (id->peer)
		return address_of_place(id->peer_place);
	if (is_to_our_address(id))
		return address_of_place(cm_place_of_dest(id));
	return id->port->ethernet ? address_of_gid(id->dgid) : address_of_lid(id->dlid);
}

static bool is_here(const struct cm_id *id)
{
	struct address peer = peer_of(id);

	return peer.kind == ADDRESS_PLACE && peer.number == fabric_place();
}

static enum link_result carry(bool here, const struct address *to, const struct cm_mad *m)
{
	if (!here)
		return message_cm(to, m, sizeof(*m));
	send_here(m);
	return LINK_SENT;
}

static enum link_result delay(bool here, const struct address *to, const struct cm_mad *m, uint64_t ms)
{
	struct departure *d = malloc(sizeof(*d));

	if (!d)
		return LINK_FULL;
	d->due = clock_now() + ms * NS_PER_MS;
	d->here = here;
	d->m = *m;
	d->to = *to;
	STAILQ_INSERT_TAIL(&departures, d, link);
	return LINK_SENT;
}

/* Past the faults that wait for it */
static enum link_result meet_faults(bool here, const struct address *to, const struct cm_mad *m)
{
	const struct fault *drop = fault_meet_mad(FAULT_CM_DROP, m->type);
	const struct fault *late = fault_meet_mad(FAULT_CM_DELAY, m->type);

	tap_cm(cm_number_inside(m->from), true, cm_mad_name(m->type), drop ? "lost" : late ? "delayed" : NULL);
	if (drop)
		return LINK_SENT;
	return late ? delay(here, to, m, late->ms) : carry(here, to, m);
}

static enum link_result send_mad(const struct cm_id *id, const struct cm_mad *m)
{
	struct address to = peer_of(id);

	return cm_mad_name(m->type) ? meet_faults(is_here(id), &to, m) : carry(is_here(id), &to, m);
}

void cm_send(struct cm_id *id, const struct cm_mad *m)
{
	send_mad(id, m);
}

/* To an id that is not there */
static void send_to_place(unsigned int place, const struct cm_mad *m)
{
	struct address to = address_of_place(place);

	if (place == fabric_place()) {
		send_here(m);
		return;
	}
	message_cm(&to, m, sizeof(*m));
}

/* It stays in id->sent until the answer is there */
static void try(struct cm_id *id)
{
	enum link_result rc;

	id->sent.again = id->tries;
	rc = send_mad(id, &id->sent);
	if (rc == LINK_SENT)
		id->tries++;
	set_due(id, clock_now() + (rc == LINK_FULL || rc == LINK_STUCK ? SOON : AGAIN_AFTER));
	if (rc == LINK_DEAD)
		id->tries = TRIES;
}

void cm_send_until_answered(struct cm_id *id, const struct cm_mad *m)
{
	id->sent = *m;
	id->tries = 0;
	try(id);
	if (id->tries == TRIES)
		set_due(id, clock_now());
}

void cm_send_answer(struct cm_id *id, const struct cm_mad *m)
{
	id->sent = *m;
	cm_send(id, m);
}

void cm_ask_for_patience(struct cm_id *id)
{
	struct cm_mad m = { .type = CM_MRA, .from = cm_id_outside(id), .to = id->peer };

	cm_send(id, &m);
}

void cm_be_patient(struct cm_id *id)
{
	set_due(id, clock_now() + SERVICE_TIMEOUT);
}

void cm_expect_nothing(struct cm_id *id)
{
	id->sent.type = CM_NO_MAD;
	id->tries = 0;
	set_due(id, id->state == CM_CONNECTED ? clock_now() + ALIVE_EVERY : 0);
}

void cm_wait_for_stragglers(struct cm_id *id)
{
	cm_expect_nothing(id);
	set_due(id, clock_now() + TIMEWAIT);
}

void cm_hear_dreq_soon(struct cm_id *id)
{
	set_due(id, clock_now() + SOON);
}

static void ask_whether_alive(struct cm_id *id)
{
	struct cm_mad m = { .type = CM_ALIVE, .from = cm_id_outside(id), .to = id->peer };

	set_due(id, clock_now() + ALIVE_EVERY);
	if (!is_here(id) && send_mad(id, &m) == LINK_DEAD)
		cm_give_up(id);
}

static void end_of_timewait(struct cm_id *id)
{
	set_due(id, 0);
	cm_event_post(id, CM_TIMEWAIT_EXIT, 0);
}

static void serve_due(struct cm_id *id)
{
	if (id->state == CM_OVER)
		end_of_timewait(id);
	else if (id->state == CM_CONNECTED && id->dreq_at)
		cm_hear(id, &(struct cm_mad){ .type = CM_DREQ });
	else if (id->sent.type == CM_NO_MAD)
		ask_whether_alive(id);
	else if (id->tries >= TRIES)
		cm_give_up(id);
	else
		try(id);
}

static bool serve_ids(void)
{
	uint64_t now = LIST_EMPTY(&waiting) ? 0 : clock_now();
	struct cm_id *id, *next;
	bool busy = false;

	if (now < nothing_before)
		return false;
	nothing_before = UINT64_MAX;
	for (id = LIST_FIRST(&waiting); id; id = next) {
		next = LIST_NEXT(id, waits);
		if (now < id->due) {
			set_due(id, id->due);
			continue;
		}
		serve_due(id);
		busy = true;
	}
	return busy;
}

static bool serve_departures(void)
{
	struct departure *d = STAILQ_FIRST(&departures);

	if (!d || clock_now() < d->due)
		return false;
	STAILQ_REMOVE_HEAD(&departures, link);
	carry(d->here, &d->to, &d->m);
	free(d);
	return true;
}

static bool is_request(const struct cm_mad *m)
{
	return m->type == CM_REQ || m->type == CM_SIDR_REQ;
}

/*
 * For an id that is not there any more, or for a service that nobody offers. One who asks too early is not told before it
 * asks again: perftest -R connects twice, and does not wait for the second listener, which is there in time only
 * where it takes milliseconds to find a route.
 */
static void answer_nobody(unsigned int place, const struct cm_mad *m)
{
	struct cm_mad answer = { .to = m->from, .from = m->to };

	if (is_request(m) && !m->again)
		return;
	switch (m->type) {
	case CM_REQ:
		answer.type = CM_REJ;
		answer.status = CM_REJ_INVALID_SERVICE;
		break;
	case CM_SIDR_REQ:
		answer.type = CM_SIDR_REP;
		answer.status = CM_SIDR_UNSUPPORTED;
		break;
	case CM_REP:
		answer.type = CM_REJ;
		answer.status = CM_REJ_INVALID_ID;
		break;
	case CM_DREQ:
		answer.type = CM_DREP;
		break;
	case CM_ALIVE:
		answer.type = CM_GONE;
		break;
	default:
		return;
	}
	send_to_place(place, &answer);
}

/* An answer to a request tells who the peer is */
static bool is_from_peer(struct cm_id *id, unsigned int place, const struct cm_mad *m)
{
	if (id->state == CM_REQ_SENT && !id->peer) {
		if (m->type == CM_REP || m->type == CM_SIDR_REP) {
			id->peer = m->from;
			id->peer_place = place;
		}
		return true;
	}
	return id->peer_place == place && (id->peer == m->from || m->type == CM_GONE || m->type == CM_DREP);
}

static bool is_rejected(unsigned int place, const struct cm_mad *m)
{
	const struct fault *f = fault_meet_mad(FAULT_CM_REJECT, m->type);
	struct cm_mad answer = { .to = m->from };

	if (!f)
		return false;
	answer.type = m->type == CM_REQ ? CM_REJ : CM_SIDR_REP;
	answer.status = m->type == CM_REQ ? f->value : CM_SIDR_REJECTED;
	send_to_place(place, &answer);
	return true;
}

/* For datagrams there is no MRA */
static void answer_again(struct cm_id *id)
{
	if (id->state == CM_OVER && id->sent.type != CM_NO_MAD)
		cm_send(id, &id->sent);
	else if (id->state == CM_REQ_RECEIVED && !cm_is_datagram(id))
		cm_ask_for_patience(id);
}

/* Who gives up asking does not know yet whom it has asked */
static struct cm_id *addressee(unsigned int place, const struct cm_mad *m)
{
	if (is_request(m))
		return cm_listener(m);
	return m->type == CM_REJ && !m->to ? cm_asked_by(place, m->from) : cm_id_meant(m->to);
}

static void take_cm_mad(unsigned int place, const struct cm_mad *m)
{
	struct cm_id *id = addressee(place, m), *asked = is_request(m) ? cm_asked_by(place, m->from) : NULL;

	tap_cm(id ? id->number : 0, false, cm_mad_name(m->type), NULL);
	if (asked) {
		answer_again(asked);
		return;
	}
	if (is_request(m) && is_rejected(place, m))
		return;
	if (!id || (!is_request(m) && !is_from_peer(id, place, m)))
		answer_nobody(place, m);
	else if (is_request(m))
		cm_request(id, place, m);
	else
		cm_hear(id, m);
}

void cm_receive(unsigned int place, const void *data, size_t size)
{
	struct cm_mad m;

	if (size != sizeof(m))
		return;
	memcpy(&m, data, sizeof(m));
	take_cm_mad(place, &m);
}

bool cm_serve(void)
{
	bool busy = !STAILQ_EMPTY(&letters);
	struct letter *l;

	while ((l = STAILQ_FIRST(&letters))) {
		STAILQ_REMOVE_HEAD(&letters, link);
		take_cm_mad(l->place, &l->m);
		free(l);
	}
	busy |= serve_departures();
	return serve_ids() || busy;
}
