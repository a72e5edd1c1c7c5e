/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The performance management agent: packets and data that pass a port (MADs do not count); no link of a model makes errors. */
#include <endian.h>
#include <string.h>

#include "bounds.h"
#include "mad/attribute.h"
#include "mad/mad.h"
#include "objects/port.h"

#define CLASS_VERSION 1
#define ALL_PORTS 0xff
#define DATA_UNIT 4 /* bytes */

/* CapabilityMask */
enum {
	ALL_PORT_SELECT = 0x100,
	EXT_WIDTH = 0x200
};

static const struct field PORT_SELECT = { 8, 8 };
static const struct field COUNTER_SELECT = { 16, 16 };

/* A counter: where it is, by which bit of CounterSelect it is set, what it counts; those that have no field here stay 0 */
struct counter {
	struct field field;
	uint16_t select;
	size_t count; /* in struct port_counts */
	uint32_t unit;
};

#define COUNT(name) offsetof(struct port_counts, name)

static const struct counter counters[] = {
	{ { 192, 32 }, 1 << 12, COUNT(xmit_bytes), DATA_UNIT },
	{ { 224, 32 }, 1 << 13, COUNT(rcv_bytes), DATA_UNIT },
	{ { 256, 32 }, 1 << 14, COUNT(xmit_packets), 1 },
	{ { 288, 32 }, 1 << 15, COUNT(rcv_packets), 1 },
	{ { 0 }, 0, 0, 0 },
}, extended_counters[] = {
	{ { 64, 64 }, 1 << 0, COUNT(xmit_bytes), DATA_UNIT },
	{ { 128, 64 }, 1 << 1, COUNT(rcv_bytes), DATA_UNIT },
	{ { 192, 64 }, 1 << 2, COUNT(xmit_packets), 1 },
	{ { 256, 64 }, 1 << 3, COUNT(rcv_packets), 1 },
	{ { 320, 64 }, 1 << 4, COUNT(xmit_packets), 1 }, /* unicast */
	{ { 384, 64 }, 1 << 5, COUNT(rcv_packets), 1 },
	{ { 0 }, 0, 0, 0 },
};

static const struct {
	uint16_t id;
	const struct counter *counters;
} attributes[] = {
	{ ATTR_PORT_COUNTERS, counters },
	{ ATTR_PORT_COUNTERS_EXT, extended_counters },
};

static uint64_t *count_of(struct port *p, const struct counter *c)
{
	return (uint64_t *)((char *)&p->counts + c->count);
}

static void add(uint8_t *data, struct field f, uint64_t value)
{
	uint64_t sum = value + (f.width == 64 ? prm_get64(data, f) : prm_get(data, f));

	if (f.width == 64)
		prm_set64(data, f, sum);
	else
		prm_set(data, f, sum < UINT32_MAX ? sum : UINT32_MAX); /* it stays where it cannot count on */
}

static void put(uint8_t *data, struct port *p, const struct counter *c)
{
	for (; c->unit; c++)
		add(data, c->field, *count_of(p, c) / c->unit);
}

/* To 0: the value that is asked for is not */
static void reset(struct port *p, const struct counter *c, uint32_t select)
{
	for (; c->unit; c++)
		if (c->select & select)
			*count_of(p, c) = 0;
}

/* Those of a port, or the sum of all; those of the switch are nobody's */
static uint16_t answer_counters(const struct mad *m, uint8_t *data, const struct mad_end *to,
				const struct counter *c)
{
	uint32_t number = prm_get(data, PORT_SELECT), select = prm_get(data, COUNTER_SELECT);
	const struct port *at;
	struct port *p;

	memset(data, 0, BLOCK_SIZE + 8);
	prm_set(data, PORT_SELECT, number);
	prm_set(data, COUNTER_SELECT, select);
	if (to->is_switch)
		return number <= switch_ports() || number == ALL_PORTS ? STATUS_OK : STATUS_INVALID_FIELD;
	at = port_get(to->port);
	if (!number)
		number = at->local; /* as mlx5, where it came in */
	if (number != ALL_PORTS && !port_number(at->device, number))
		return STATUS_INVALID_FIELD;
	for (uint32_t n = 1; (p = port_get(n)); n++) {
		if (p->device != at->device || (number != ALL_PORTS && number != p->local))
			continue;
		if (m->method == METHOD_SET)
			reset(p, c, select);
		put(data, p, c);
	}
	return STATUS_OK;
}

static uint16_t answer(const struct mad *m, uint8_t *data, const struct mad_end *to)
{
	uint16_t id = be16toh(m->attr_id);

	if (m->class_version != CLASS_VERSION)
		return STATUS_UNSUP_VERSION;
	if (id == ATTR_CLASS_PORT_INFO && m->method == METHOD_GET) {
		memset(data, 0, sizeof(m->perf.data));
		put_class_port_info(data, CLASS_VERSION, ALL_PORT_SELECT | EXT_WIDTH);
		return STATUS_OK;
	}
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].id == id)
			return answer_counters(m, data, to, attributes[i].counters);
	return STATUS_UNSUP_METHOD_ATTR;
}

bool pma_answer(struct mad *m, const struct mad_end *to)
{
	uint8_t data[sizeof(m->perf.data)] __attribute__((aligned(4)));
	uint16_t status;

	if (m->mgmt_class != CLASS_PERF || (m->method != METHOD_GET && m->method != METHOD_SET))
		return false;
	memcpy(data, m->perf.data, sizeof(data));
	status = answer(m, data, to);
	if (!status)
		memcpy(m->perf.data, data, sizeof(data));
	mad_make_response(m, status);
	return true;
}
