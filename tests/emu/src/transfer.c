/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "transfer.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "opcode.h"
#include "qp.h"
#include "request.h"

#define PROBE_EVERY (20 * NS_PER_MS)

/* How long what nobody acknowledges waits for a receiver that does not read */
#define LIFETIME (1000 * NS_PER_MS)

static uint64_t last_id;

static void fill(struct message *m, const struct qp *q, const struct packet *p)
{
	message_init(m, MESSAGE_REQUEST, opcode_find(p->opcode)->sends_data ? p->len : 0);
	m->h.qpn = q ? q->qpn : 0;
	m->h.id = ++last_id;
	m->h.p = *p;
}

int transfer_start(struct qp *q, const struct packet *p, uint8_t *data)
{
	struct transfer *t = calloc(1, sizeof(*t));

	if (!t) {
		free(data);
		return -1;
	}
	fill(&t->out, q, p);
	fabric_name_dest(t->out.to, p);
	t->out.data = data;
	t->began_at = clock_now();
	t->probe_at = t->began_at + PROBE_EVERY;
	q->transfer = t;
	return 0;
}

void transfer_drop(struct qp *q)
{
	struct transfer *t = q->transfer;

	if (!t)
		return;
	free(t->out.data);
	free(t->in.data);
	free(t);
	q->transfer = NULL;
}

/* Over an unreliable service, sent is done */
static int poll_unreliable(struct transfer *t, enum fabric_result sent)
{
	bool waits = sent == FABRIC_FULL && clock_now() - t->began_at < LIFETIME;

	return waits ? STALL_AWAY : 0;
}

static int poll_reliable(struct transfer *t, enum fabric_result sent)
{
	uint64_t now;

	if (sent == FABRIC_DEAD)
		return STALL_PEER;
	if (t->answered)
		return t->answer;
	now = clock_now();
	if (now < t->probe_at)
		return STALL_AWAY;
	t->probe_at = now + PROBE_EVERY;
	return message_probe(t->out.to) ? STALL_AWAY : STALL_PEER;
}

int transfer_poll(struct qp *q)
{
	struct transfer *t = q->transfer;
	enum fabric_result sent = message_push(&t->out);

	return qp_is_reliable(q) ? poll_reliable(t, sent) : poll_unreliable(t, sent);
}

void transfer_answer(const struct header *h, const uint8_t *data, uint32_t n)
{
	struct qp *q = qp_by_number(h->qpn);
	struct transfer *t = q ? q->transfer : NULL;

	if (!t || t->out.h.id != h->id)
		return; /* it came too late */
	if (parcel_add(&t->in, h, data, n) != 1)
		return;
	t->answered = true;
	t->answer = h->answer;
	t->rnr_timer = h->rnr_timer;
}

static void send_to_one(const char *name, void *arg)
{
	struct message m = *(const struct message *)arg;

	strcpy(m.to, name);
	message_push(&m);
}

void transfer_to_group(const struct packet *p, uint8_t *data)
{
	struct message m = { .data = data };

	fill(&m, NULL, p);
	fabric_each(send_to_one, &m);
}
