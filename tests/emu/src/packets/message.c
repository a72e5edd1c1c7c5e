/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/message.h"

#include <string.h>

#include "cm/cm.h"
#include "engine/opcode.h"
#include "engine/requester.h"
#include "mad/mad.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "packets/inbound.h"
#include "packets/steer.h"

/* Another build may have another header */
#define VERSION ((uint32_t)sizeof(struct header))

static struct header header(enum message_type type)
{
	return (struct header){ .version = VERSION, .type = type, .place = fabric_place() };
}

static enum link_result send_message(const struct address *to, struct header *h, const uint8_t *data,
				     uint32_t n)
{
	struct iovec parts[] = { { h, sizeof(*h) }, { (uint8_t *)data, n } };

	return link_send(to, parts, n ? 2 : 1);
}

/* The bytes of @n packets; a request for data has none */
static uint32_t payload(const struct packet *p, uint32_t n)
{
	uint32_t left = p->len - p->offset;

	if (!opcode_find(p->opcode)->sends_data)
		return 0;
	return left < n * p->mtu ? left : n * p->mtu;
}

enum link_result message_request(const struct qp *q, const struct flight *f, uint32_t n)
{
	struct header h = header(MESSAGE_REQUEST);
	struct iovec parts[1 + MAX_SEGMENTS] = { { &h, sizeof(h) } };
	struct address to = address_of_dest(&f->p);
	int pieces = wqe_pieces(q, &f->wqe, f->p.offset, payload(&f->p, n), parts + 1);

	if (pieces < 0)
		return LINK_NO_DATA;
	h.qpn = q->qpn;
	h.session = q->window.session;
	h.p = f->p;
	return link_send(&to, parts, 1 + pieces);
}

struct datagram {
	struct header h;
	const uint8_t *data;
	uint32_t len;
};

static void send_to_one(unsigned int place, void *arg)
{
	struct address to = address_of_place(place);
	struct datagram *d = arg;

	send_message(&to, &d->h, d->data, d->len);
}

void message_to_group(const struct packet *p, const uint8_t *data)
{
	struct datagram d = { header(MESSAGE_REQUEST), data, p->len };

	d.h.p = *p;
	fabric_each(send_to_one, &d);
}

enum link_result message_answer(const struct header *to, const struct answer *a)
{
	struct header h = header(MESSAGE_ANSWER);
	struct address requester = address_of_place(to->place);

	h.qpn = to->qpn;
	h.session = to->session;
	h.answer = *a;
	return send_message(&requester, &h, a->data, a->len);
}

enum link_result message_cm(const struct address *to, const void *mad, uint32_t size)
{
	struct header h = header(MESSAGE_CM);

	return send_message(to, &h, mad, size);
}

enum link_result message_mad(const struct address *to, const void *mad, uint32_t size)
{
	struct header h = header(MESSAGE_MAD);

	return send_message(to, &h, mad, size);
}

enum link_result message_frame(const struct address *to, const uint8_t *data, uint32_t size)
{
	struct header h = header(MESSAGE_FRAME);

	return send_message(to, &h, data, size);
}

void message_frame_to_all(const uint8_t *data, uint32_t size)
{
	struct datagram d = { header(MESSAGE_FRAME), data, size };

	fabric_each(send_to_one, &d);
}

bool message_probe(const struct packet *p)
{
	struct address to = address_of_dest(p);

	return link_probe(&to);
}

static void take_answer(struct header *h, const uint8_t *data, uint32_t n)
{
	struct qp *q = qp_by_number(h->qpn);

	if (!q || q->window.session != h->session || h->answer.len != n || !h->answer.mtu)
		return; /* it came too late */
	h->answer.data = data;
	port_count_rcv(port_get(q->attr.port_num), packet_count(n, h->answer.mtu), n);
	answer_take(q, &h->answer);
	requester_complete(q); /* before what comes next from there is received */
}

static void sort(struct header *h, const uint8_t *data, uint32_t n)
{
	if (h->version != VERSION)
		return;
	if (h->type == MESSAGE_REQUEST)
		inbound_take(h, data, n);
	else if (h->type == MESSAGE_ANSWER)
		take_answer(h, data, n);
	else if (h->type == MESSAGE_CM)
		cm_receive(h->place, data, n);
	else if (h->type == MESSAGE_MAD)
		mad_receive(data, n);
	else if (h->type == MESSAGE_FRAME)
		steer_receive(data, n);
}

static void take_message(const void *message, size_t size)
{
	struct header h;

	if (size < sizeof(h))
		return;
	memcpy(&h, message, sizeof(h));
	sort(&h, (const uint8_t *)message + sizeof(h), size - sizeof(h));
}

bool message_receive(bool ask)
{
	bool any = link_receive(ask, take_message);

	inbound_acknowledge();
	return any;
}
