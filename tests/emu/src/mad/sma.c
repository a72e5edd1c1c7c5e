/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The subnet management agents: of the device's ports, and of the switch with its manager. */
#include <endian.h>
#include <string.h>

#include "bounds.h"
#include "mad/attribute.h"
#include "mad/mad.h"
#include "mad/sma_set.h"
#include "objects/port.h"

#define CLASS_VERSION 1

/* What is asked for: an attribute of a node, with what the modifier says */
struct query {
	const struct subnet_host *host; /* NULL: the switch */
	const struct mad_end *at; /* where it came in */
	uint32_t modifier;
	uint8_t *to;
};

/* The port that a modifier means: 0 is the one where it came in, but of a switch its own */
static bool find_port(const struct query *q, uint32_t number, struct subnet_port *s)
{
	if (!q->host) {
		*s = switch_port(number);
		return number <= switch_ports();
	}
	*s = q->host->ports[q->at->port - 1];
	if (!number || number > q->host->nodes[s->node].nports)
		return !number;
	*s = q->host->ports[q->at->port - s->local + number - 1];
	return true;
}

static bool node_description(const struct query *q)
{
	put_description(q->to, q->host ? subnet_node_of(q->host, q->at->port)->description : SWITCH_DESCRIPTION);
	return true;
}

static bool node_info(const struct query *q)
{
	put_node_info(q->to, q->host, q->at->port);
	return true;
}

static bool port_info(const struct query *q)
{
	struct subnet_port s;

	if (!find_port(q, q->modifier & 0xff, &s))
		return false;
	put_port_info(q->to, &s, q->host ? q->host->ports[q->at->port - 1].local : q->at->port);
	return true;
}

static bool switch_info(const struct query *q)
{
	if (!q->host)
		put_switch_info(q->to);
	return !q->host;
}

static bool guid_info(const struct query *q)
{
	struct subnet_port s;

	if (!find_port(q, 0, &s))
		return false;
	put_guid_block(q->to, &s, q->modifier);
	return true;
}

/* Of a switch, the upper half of the modifier has the port */
static bool p_key_table(const struct query *q)
{
	struct subnet_port s;

	if (!find_port(q, q->host ? 0 : q->modifier >> 16, &s))
		return false;
	put_pkey_block(q->to, &s, q->modifier & 0xffff);
	return true;
}

/* Each SL has a VL of the four, in half a byte */
static bool sl_to_vl(const struct query *q)
{
	for (int sl = 0; sl < 16; sl += 2)
		q->to[sl / 2] = sl % 4 << 4 | (sl + 1) % 4;
	return true;
}

/* Pairs of VL and weight; the second half of a table is empty */
static bool vl_arbitration(const struct query *q)
{
	for (uint8_t vl = 0; vl < 4 && q->modifier >> 16 == 1; vl++) {
		q->to[2 * vl] = vl;
		q->to[2 * vl + 1] = 64;
	}
	return true;
}

static bool linear_forwarding(const struct query *q)
{
	if (!q->host)
		put_linear_block(q->to, q->modifier);
	return !q->host;
}

/* All groups go to all ports: nothing is kept for one */
static bool multicast_forwarding(const struct query *q)
{
	return !q->host;
}

static bool sm_info(const struct query *q)
{
	if (!q->host)
		put_sm_info(q->to);
	return !q->host;
}

/* Of Mellanox: no FDR10 */
static bool mlnx_ext_port_info(const struct query *q)
{
	struct subnet_port s;

	return find_port(q, q->modifier & 0xff, &s);
}

static const struct {
	uint16_t id;
	bool (*put)(const struct query *q);
} attributes[] = {
	{ ATTR_NODE_DESC, node_description },
	{ ATTR_NODE_INFO, node_info },
	{ ATTR_SWITCH_INFO, switch_info },
	{ ATTR_GUID_INFO, guid_info },
	{ ATTR_PORT_INFO, port_info },
	{ ATTR_P_KEY_TABLE, p_key_table },
	{ ATTR_SL_TO_VL, sl_to_vl },
	{ ATTR_VL_ARB, vl_arbitration },
	{ ATTR_LINEAR_FT, linear_forwarding },
	{ ATTR_MCAST_FT, multicast_forwarding },
	{ ATTR_SM_INFO, sm_info },
	{ ATTR_MLNX_EXT_PORT_INFO, mlnx_ext_port_info },
};

static uint16_t get(const struct query *q, uint16_t attribute)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].id == attribute)
			return attributes[i].put(q) ? STATUS_OK : STATUS_INVALID_FIELD;
	return STATUS_UNSUP_METHOD_ATTR;
}

/* Of the port alone that it comes to: those beside it have agents of their own. The switch has its manager within */
static uint16_t set(const struct mad *m, const struct mad_end *to)
{
	uint32_t number = be32toh(m->attr_mod) & 0xff;
	struct port_setting s = get_port_setting(m->smp.data);

	if (to->is_switch || be16toh(m->attr_id) != ATTR_PORT_INFO)
		return STATUS_UNSUP_METHOD_ATTR;
	if (number && number != port_local(to->port))
		return STATUS_INVALID_FIELD;
	return sma_set_port(to->port, &s) ? STATUS_OK : STATUS_INVALID_FIELD;
}

static uint16_t check_smp(const struct mad *m, const struct mad_end *to)
{
	if (m->class_version != CLASS_VERSION)
		return STATUS_UNSUP_VERSION;
	return m->method == METHOD_SET ? set(m, to) : STATUS_OK;
}

/* A device leaves SMInfo to the manager that a program of its host may be, and with it what is neither Get nor Set */
static bool is_ours(const struct mad *m, const struct mad_end *to)
{
	if (!mad_is_smp(m) || (m->method != METHOD_GET && m->method != METHOD_SET))
		return false;
	return to->is_switch || be16toh(m->attr_id) != ATTR_SM_INFO;
}

bool sma_answer(struct mad *m, const struct mad_end *to)
{
	uint8_t data[BLOCK_SIZE] __attribute__((aligned(4))) = { 0 };
	struct query q = { .at = to, .modifier = be32toh(m->attr_mod), .to = data };
	struct subnet_host h;
	uint16_t status;

	if (!is_ours(m, to))
		return false;
	status = check_smp(m, to);
	if (!to->is_switch) {
		h = *subnet_own();
		q.host = &h;
	}
	if (!status)
		status = get(&q, be16toh(m->attr_id));
	if (!status)
		memcpy(m->smp.data, data, sizeof(m->smp.data));
	mad_make_response(m, status);
	return true;
}
