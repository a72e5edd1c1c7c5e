/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "inbound.h"
#include "limits.h"
#include "transfer.h"

/* Another build may have another header */
#define VERSION ((uint32_t)sizeof(struct header))

/* As many as a receiver's queue takes (10 by default) are together less than a sender may have under way */
#define FRAGMENT 16384

#define MESSAGES_A_TURN 64

void message_init(struct message *m, enum message_type type, uint32_t len)
{
	m->h.version = VERSION;
	m->h.type = type;
	m->h.place = fabric_place();
	m->h.len = len;
}

static enum fabric_result send_fragment(struct message *m, uint32_t n)
{
	struct iovec parts[] = { { &m->h, sizeof(m->h) }, { n ? m->data + m->sent : NULL, n } };
	enum fabric_result rc;

	m->h.offset = m->sent;
	rc = fabric_send(m->to, parts, n ? 2 : 1);
	if (rc != FABRIC_SENT)
		return rc;
	m->begun = true;
	m->sent += n;
	return rc;
}

enum fabric_result message_push(struct message *m)
{
	while (!m->begun || m->sent < m->h.len) {
		uint32_t left = m->h.len - m->sent;
		enum fabric_result rc = send_fragment(m, left < FRAGMENT ? left : FRAGMENT);

		if (rc != FABRIC_SENT)
			return rc;
	}
	return FABRIC_SENT;
}

bool message_probe(const char *to)
{
	struct message m = { 0 };

	message_init(&m, MESSAGE_PROBE, 0);
	strcpy(m.to, to);
	return message_push(&m) != FABRIC_DEAD;
}

int parcel_add(struct parcel *p, const struct header *h, const uint8_t *data, uint32_t n)
{
	if (!h->offset) {
		free(p->data);
		*p = (struct parcel){ .data = malloc(h->len ? h->len : 1), .len = h->len };
	}
	if (!p->data || h->offset != p->received || n > p->len - p->received)
		return -1;
	memcpy(p->data + p->received, data, n);
	p->received += n;
	return p->received == p->len;
}

static void sort(const struct header *h, const uint8_t *data, uint32_t n)
{
	if (h->version != VERSION || h->len > MAX_MESSAGE)
		return;
	if (h->type == MESSAGE_REQUEST)
		inbound_add(h, data, n);
	else if (h->type == MESSAGE_ANSWER)
		transfer_answer(h, data, n);
}

bool message_receive(void)
{
	static struct {
		struct header h;
		uint8_t data[FRAGMENT];
	} buffer;
	int taken = 0;
	size_t n;

	while (taken < MESSAGES_A_TURN && (n = fabric_receive(&buffer, sizeof(buffer)))) {
		taken++;
		if (n >= sizeof(buffer.h))
			sort(&buffer.h, buffer.data, n - sizeof(buffer.h));
	}
	return taken;
}
