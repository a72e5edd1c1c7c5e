/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* From the ports that a MAD names, or a LID, to the process that is there. */
#include <endian.h>
#include <infiniband/verbs.h>

#include "config.h"
#include "mad/mad.h"
#include "mad/subnet.h"
#include "mad/umad.h"
#include "objects/port.h"
#include "packets/fabric.h"

#define LONGEST_PATH 64

/* A link is there as soon as it is trained; only SMPs go while it is not active */
static bool passes(const struct subnet_port *s, const struct mad *m)
{
	return mad_is_smp(m) ? s->state >= IBV_PORT_INIT : s->state == IBV_PORT_ACTIVE;
}

static bool port_of_host(const struct mad_end *e, struct subnet_port *s)
{
	struct subnet_host h;

	if (!subnet_host_at(e->place, &h) || !e->port || e->port > h.nports || h.ports[e->port - 1].ethernet)
		return false;
	*s = h.ports[e->port - 1];
	return true;
}

static uint8_t local_port(const struct mad_end *e)
{
	struct subnet_port s;

	return port_of_host(e, &s) ? s.local : 0;
}

static uint16_t lid_of(const struct mad_end *e)
{
	struct subnet_port s;

	if (e->is_switch)
		return switch_lid();
	return port_of_host(e, &s) ? s.lid : 0;
}

/* Out by a port; a host passes nothing on, so it comes from the switch or begins */
static bool hop(struct mad_end *at, uint8_t out, const struct mad *m)
{
	struct subnet_port s;

	if (at->is_switch) {
		at->is_switch = false;
		return switch_port_leads_to(out, &at->place, &at->port) && port_of_host(at, &s) &&
		       passes(&s, m);
	}
	if (!port_of_host(at, &s) || s.local != out || !passes(&s, m))
		return false;
	at->port = switch_port_of(at->place, at->port);
	at->is_switch = true;
	return at->port;
}

/* Where the directed part of a route begins: here, or where the LID leads */
static bool begin(const struct mad_packet *p, struct mad_end *at)
{
	if (p->mad.smp.dr_slid == htobe16(PERMISSIVE_LID))
		return true;
	at->is_switch = p->to.lid == switch_lid();
	at->port = 0;
	return at->is_switch;
}

static bool route_directed(struct mad_packet *p)
{
	struct mad_end at = p->from;
	struct mad *m = &p->mad;

	if (m->hop_count >= LONGEST_PATH || !begin(p, &at))
		return false;
	for (uint8_t i = 1; i <= m->hop_count; i++) {
		bool was_switch = at.is_switch;

		/* A host that is not the first one */
		if (i > 1 && !was_switch)
			return false;
		if (!hop(&at, m->smp.initial_path[i], m))
			return false;
		m->smp.return_path[i] = at.is_switch ? at.port : local_port(&at);
	}
	p->to.is_switch = at.is_switch;
	p->to.place = at.place;
	p->to.port = at.port;
	p->to.lid = lid_of(&at);
	return true;
}

/* What the manager of the subnet answers goes to it also where a host has its LID */
static bool is_for_manager(const struct mad *m)
{
	return m->mgmt_class == CLASS_SUBN_ADM || (mad_is_smp(m) && m->attr_id == htobe16(ATTR_SM_INFO));
}

static bool is_to_switch(const struct mad_packet *p)
{
	return p->to.lid && p->to.lid == switch_lid() &&
	       (!port_by_lid(p->to.lid) || (is_for_manager(&p->mad) && !mad_is_response(&p->mad)));
}

struct search {
	uint16_t lid;
	struct mad_end *end;
	bool found;
};

static void find_port(const struct subnet_host *h, void *arg)
{
	struct search *s = arg;

	for (int i = 0; i < h->nports && !s->found; i++) {
		if (h->ports[i].ethernet || h->ports[i].lid != s->lid)
			continue;
		s->end->place = h->place;
		s->end->port = h->ports[i].number;
		s->found = true;
	}
}

/* The port with a LID; on one host it is a port of all its processes */
static bool find_lid(uint16_t lid, struct mad_end *end)
{
	const struct port *own = port_by_lid(lid);
	struct search s = { lid, end, false };
	struct address a = address_of_lid(lid);
	struct subnet_host h;
	int place;

	end->is_switch = false;
	if (own) {
		end->place = fabric_place();
		end->port = own->number;
		return true;
	}
	place = config.one_host ? -1 : fabric_find(&a);
	if (place >= 0 && subnet_host_at(place, &h))
		find_port(&h, &s);
	return s.found;
}

static bool route_by_lid(struct mad_packet *p)
{
	struct subnet_port s;

	if (!port_of_host(&p->from, &s) || !passes(&s, &p->mad))
		return false;
	if (is_to_switch(p)) {
		p->to.is_switch = true;
		p->to.port = 0;
		return true;
	}
	if (!p->to.lid || !find_lid(p->to.lid, &p->to) || !port_of_host(&p->to, &s) || !passes(&s, &p->mad))
		return false;
	if (config.one_host)
		p->to.place = umad_place_for(p);
	return true;
}

/* An answer of a device, or to a directed route, goes where the request came from: its sender has told */
bool mad_route(struct mad_packet *p)
{
	if (p->mad.mgmt_class == CLASS_SUBN_DIRECTED_ROUTE && !mad_is_response(&p->mad))
		return route_directed(p);
	return route_by_lid(p);
}
