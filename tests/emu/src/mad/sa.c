/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The subnet administrator: what is asked, and the answer, which has as many records as there are (RMPP). */
#include "mad/sa.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "mad/attribute.h"
#include "mad/rmpp.h"

#define CLASS_VERSION 2
#define UNIT 8 /* bytes, of AttributeOffset */
#define SA_HEADER offsetof(struct mad, sa.data)

/* CapabilityMask */
enum {
	OPTIONAL_RECORDS = 0x100,
	UD_MULTICAST = 0x200
};


void sa_put_gid(uint8_t *record, struct field f, const uint8_t gid[GID_SIZE])
{
	memcpy(record + f.offset / 8, gid, GID_SIZE);
}

bool sa_has(const struct sa_query *q, unsigned int component)
{
	return q->mask >> component & 1;
}

bool sa_same(const uint8_t *a, const uint8_t *b, struct field f)
{
	if (f.width > 32)
		return !memcmp(a + f.offset / 8, b + f.offset / 8, f.width / 8);
	return !f.width || prm_get(a, f) == prm_get(b, f);
}

static size_t stride(const struct sa_record *r)
{
	return (r->size + UNIT - 1) / UNIT * UNIT;
}

static bool matches(const struct sa_query *q, const uint8_t *record, uint64_t mask)
{
	for (size_t i = 0; i < q->record->nfields; i++)
		if (mask >> i & 1 && !sa_same(q->asked, record, q->record->fields[i]))
			return false;
	return true;
}

/* What finds no room is not found, as with a manager that has no memory left */
static bool make_room(struct sa_query *q)
{
	size_t room = q->room ? 2 * q->room : 8;
	uint8_t *more;

	if (q->n < q->room)
		return true;
	more = realloc(q->found, room * stride(q->record));
	if (!more) {
		q->status = STATUS_SA_NO_RESOURCES;
		return false;
	}
	q->found = more;
	q->room = room;
	return true;
}

void sa_offer_but(struct sa_query *q, const uint8_t *record, uint64_t mask)
{
	if (matches(q, record, q->mask & ~mask) && make_room(q))
		memcpy(q->found + stride(q->record) * q->n++, record, stride(q->record));
}

void sa_offer(struct sa_query *q, const uint8_t *record)
{
	sa_offer_but(q, record, 0);
}

void sa_change(struct sa_query *q, uint16_t (*change)(struct sa_query *q, uint8_t *record))
{
	SA_RECORD(record);

	q->status = change(q, record);
	if (!q->status)
		sa_offer_but(q, record, UINT64_MAX);
}

static uint16_t status_of(const struct sa_query *q)
{
	if (q->status)
		return q->status;
	if (q->method == METHOD_GET_TABLE)
		return STATUS_OK;
	if (!q->n)
		return STATUS_SA_NO_RECORDS;
	return q->n == 1 || q->record->one ? STATUS_OK : STATUS_SA_TOO_MANY_RECORDS;
}

static uint16_t ask(struct sa_query *q, const struct mad *m)
{
	q->record = sa_record_find(be16toh(m->attr_id));
	if (!q->record)
		return STATUS_UNSUP_METHOD_ATTR;
	if (m->method == METHOD_GET || m->method == METHOD_GET_TABLE)
		q->record->each(q);
	else if (q->record->set && m->method == METHOD_SET)
		q->record->set(q);
	else if (q->record->delete && m->method == METHOD_DELETE)
		q->record->delete(q);
	else
		return STATUS_UNSUP_METHOD_ATTR;
	return status_of(q);
}

static struct mad_packet *new_answer(const struct mad_packet *request, size_t size)
{
	struct mad_packet *p = mad_packet_new(size);

	if (!p)
		return NULL;
	memcpy(p, request, MAD_PACKET_HEAD + SA_HEADER);
	p->size = size;
	return p;
}

static struct mad_packet *answer_table(const struct mad_packet *request, const struct sa_query *q,
				       uint16_t status)
{
	size_t size = status ? 0 : q->n * stride(q->record);
	struct mad_packet *p = new_answer(request, SA_HEADER + size);

	if (!p)
		return NULL;
	if (size)
		memcpy((uint8_t *)&p->mad + SA_HEADER, q->found, size);
	rmpp_put(p->mad.sa.rmpp, 1, rmpp_segments(size), size);
	p->mad.sa.attr_offset = htobe16(size ? stride(q->record) / UNIT : 0);
	mad_make_response(&p->mad, status);
	return p;
}

static struct mad_packet *answer_one(const struct mad_packet *request, const struct sa_query *q,
				     uint16_t status)
{
	struct mad_packet *p = new_answer(request, MAD_SIZE);

	if (!p)
		return NULL;
	if (!status)
		memcpy(p->mad.sa.data, q->found, stride(q->record));
	mad_make_response(&p->mad, status);
	return p;
}

static struct mad_packet *answer_class_port_info(const struct mad_packet *request)
{
	uint8_t data[SA_LONGEST_RECORD] __attribute__((aligned(4))) = { 0 };
	struct mad_packet *p = new_answer(request, MAD_SIZE);

	if (!p)
		return NULL;
	put_class_port_info(data, CLASS_VERSION, OPTIONAL_RECORDS | UD_MULTICAST);
	memcpy(p->mad.sa.data, data, sizeof(data));
	mad_make_response(&p->mad, STATUS_OK);
	return p;
}

struct mad_packet *sa_answer(const struct mad_packet *request)
{
	const struct mad *m = &request->mad;
	struct sa_query q = {
		.mask = be64toh(m->sa.comp_mask),
		.sm_key = be64toh(m->sa.sm_key),
		.method = m->method,
		.from = &request->from,
	};
	struct mad_packet *answer;
	uint16_t status;

	if (m->mgmt_class != CLASS_SUBN_ADM)
		return NULL;
	if (m->method == METHOD_GET && be16toh(m->attr_id) == ATTR_CLASS_PORT_INFO)
		return answer_class_port_info(request);
	memcpy(q.asked, m->sa.data, sizeof(q.asked));
	status = m->class_version == CLASS_VERSION ? ask(&q, m) : STATUS_UNSUP_VERSION;
	answer = m->method == METHOD_GET_TABLE ? answer_table(request, &q, status) :
						 answer_one(request, &q, status);
	free(q.found);
	return answer;
}
