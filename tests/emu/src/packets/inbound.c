/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/inbound.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "bounds.h"
#include "engine/opcode.h"
#include "faults/tap.h"
#include "objects/port.h"
#include "objects/port_state.h"
#include "packets/request.h"

/* Fewer than a requester may have under way, so that it does not stand still */
#define ACKNOWLEDGED_AT_ONCE 16

/* An answer that is not all sent */
struct departure {
	TAILQ_ENTRY(departure) link;
	struct header to;
	struct answer a; /* what is left of it */
	uint8_t *room; /* with its data */
};

/* The last of some that came one after the other from a requester, which says it for all of them */
static struct {
	uint32_t count; /* 0: there is none */
	struct header to;
	struct packet p; /* what it acknowledges */
	struct answer a;
} ack;

static TAILQ_HEAD(, departure) departures = TAILQ_HEAD_INITIALIZER(departures);

static void free_departure(struct departure *d)
{
	TAILQ_REMOVE(&departures, d, link);
	free(d->room);
	free(d);
}

/* Whether all of it is gone, or can never go */
static bool push(struct departure *d)
{
	uint32_t most = MESSAGE_DATA / d->a.mtu * d->a.mtu;
	enum link_result rc;
	struct answer part;

	do {
		part = d->a;
		part.len = part.len < most ? part.len : most;
		rc = message_answer(&d->to, &part);
		if (rc != LINK_SENT)
			return rc == LINK_DEAD;
		port_count_xmit(packet_port(&d->to.p), packet_count(part.len, d->a.mtu), part.len);
		d->a.psn += part.len / d->a.mtu;
		d->a.data += part.len;
		d->a.len -= part.len;
	} while (d->a.len);
	return true;
}

/* An answer stays behind those before it to the same process */
static bool is_blocked(const struct departure *d)
{
	const struct departure *before;

	TAILQ_FOREACH(before, &departures, link)
	{
		if (before == d)
			return false;
		if (before->to.place == d->to.place)
			return true;
	}
	return false;
}

bool inbound_push(void)
{
	struct departure *d = TAILQ_FIRST(&departures), *next;

	for (; d; d = next) {
		next = TAILQ_NEXT(d, link);
		if (!is_blocked(d) && push(d))
			free_departure(d);
	}
	return !TAILQ_EMPTY(&departures);
}

/* With its data, which are in @room */
static void depart(const struct header *to, const struct answer *a, uint8_t *room)
{
	struct departure *d = malloc(sizeof(*d));

	if (!d) {
		free(room);
		return;
	}
	*d = (struct departure){ .to = *to, .a = *a, .room = room };
	TAILQ_INSERT_TAIL(&departures, d, link);
	if (!is_blocked(d) && push(d))
		free_departure(d);
}

static void tap_packet(const struct answer *a, void *arg)
{
	tap_answer(arg, a, NULL);
}

void inbound_acknowledge(void)
{
	if (!ack.count)
		return;
	ack.count = 0;
	tap_packet(&ack.a, &ack.p);
	depart(&ack.to, &ack.a, NULL);
}

static bool is_same_requester(const struct header *a, const struct header *b)
{
	return a->place == b->place && a->qpn == b->qpn && a->session == b->session;
}

static void acknowledge(const struct header *h, const struct request *r)
{
	if (ack.count && !is_same_requester(&ack.to, h))
		inbound_acknowledge();
	ack.to = *h;
	ack.p = r->p;
	ack.a = r->answer;
	if (++ack.count == ACKNOWLEDGED_AT_ONCE)
		inbound_acknowledge();
}

static void answer(const struct header *h, struct request *r)
{
	if (r->answer.result == ANSWER_NONE)
		return;
	if (!r->answer.result && !r->answer.response) {
		acknowledge(h, r);
		return;
	}
	inbound_acknowledge();
	answer_each(&r->answer, tap_packet, &r->p);
	depart(h, &r->answer, r->room);
}

static void execute(const struct header *h, const struct packet *p, const uint8_t *data)
{
	struct request r = { .p = *p, .data = data };

	tap_request(p, NULL);
	port_count_rcv(packet_port(p), 1, opcode_find(p->opcode)->sends_data ? p->size : 0);
	if (port_is_up(packet_port(p)))
		respond(&r);
	else
		request_unanswered(&r);
	answer(h, &r);
}

/* Whether the first packet is one that a device sends, and the data are those of some packets */
static bool is_sound(const struct packet *p, uint32_t n)
{
	const struct opcode *op = opcode_find(p->opcode);

	return op && op->respond && p->mtu && p->len <= MAX_MESSAGE && p->offset <= p->len &&
	       n <= p->len - p->offset && (op->sends_data ? p->size <= n : !n);
}

void inbound_take(const struct header *h, const uint8_t *data, uint32_t n)
{
	struct packet p = h->p;
	uint32_t done = 0;

	if (!is_sound(&p, n))
		return;
	do {
		execute(h, &p, data + done);
		done += p.size;
		packet_cut(&p, p.offset / p.mtu + 1);
	} while (done < n);
}

void inbound_forget(void)
{
	ack.count = 0;
	while (!TAILQ_EMPTY(&departures))
		free_departure(TAILQ_FIRST(&departures));
}
