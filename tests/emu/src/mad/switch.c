/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The switch in the middle: no process is it, whoever is asked knows what it would say. */
#include <infiniband/verbs.h>

#include "config.h"
#include "mad/subnet.h"
#include "objects/port.h"
#include "packets/fabric.h"

enum {
	PHYS_STATE_POLLING = 2,
	PHYS_STATE_LINK_UP = 5
};

uint8_t switch_port_of(uint32_t place, uint8_t port)
{
	uint32_t n = (config.one_host ? 0 : place) * MAX_PORTS + port;

	return n <= SWITCH_MOST_PORTS ? n : 0;
}

/* On one host, its processes are behind one port, and ours will do as well as another */
bool switch_port_leads_to(uint8_t number, uint32_t *place, uint8_t *port)
{
	if (!number || number > SWITCH_MOST_PORTS)
		return false;
	*place = (number - 1) / MAX_PORTS;
	*port = (number - 1) % MAX_PORTS + 1;
	if (config.one_host && *place)
		return false;
	if (config.one_host)
		*place = fabric_place();
	return true;
}

static void find_last(unsigned int place, void *arg)
{
	uint8_t *last = arg, number = switch_port_of(place, MAX_PORTS);

	if (number > *last)
		*last = number;
}

uint8_t switch_ports(void)
{
	uint8_t last = switch_port_of(fabric_place(), MAX_PORTS);

	fabric_each(find_last, &last);
	return last ? (last + SWITCH_GRANULARITY - 1) / SWITCH_GRANULARITY * SWITCH_GRANULARITY :
		      SWITCH_GRANULARITY;
}

/* All ports have one manager; the configuration may be without */
uint16_t switch_lid(void)
{
	const struct port *p;

	for (uint32_t n = 1; (p = port_get(n)); n++)
		if (p->sm_lid)
			return p->sm_lid;
	return 0;
}

static struct subnet_port port_0(void)
{
	struct subnet_port s = {
		.state = IBV_PORT_ACTIVE,
		.phys_state = PHYS_STATE_LINK_UP,
		.width = 2,
		.speed = 32,
		.mtu = IBV_MTU_4096,
		.lid = switch_lid(),
		.sm_lid = switch_lid(),
		.guid = SWITCH_GUID,
		.cap_mask = IBV_PORT_SM | IBV_PORT_SYS_IMAGE_GUID_SUP | IBV_PORT_EXTENDED_SPEEDS_SUP,
		.npkeys = 1,
		.pkeys = { 0xffff },
		.ngids = 1,
	};

	gid_from_guid(s.gids[0], SWITCH_GUID);
	return s;
}

/* The same link, from its other end; neither LIDs nor keys are a matter of such a port */
struct subnet_port switch_port(uint8_t number)
{
	struct subnet_port s = { .number = number,
				 .local = number,
				 .state = IBV_PORT_DOWN,
				 .phys_state = PHYS_STATE_POLLING,
				 .width = 2,
				 .speed = 32,
				 .mtu = IBV_MTU_4096,
				 .guid = SWITCH_GUID };
	const struct subnet_port *peer;
	struct subnet_host h;
	uint32_t place;
	uint8_t port;

	if (!number)
		return port_0();
	if (!switch_port_leads_to(number, &place, &port) || !subnet_host_at(place, &h) || port > h.nports)
		return s;
	peer = &h.ports[port - 1];
	if (peer->ethernet)
		return s;
	s.state = peer->state;
	s.phys_state = peer->phys_state;
	s.width = peer->width;
	s.speed = peer->speed;
	s.mtu = peer->mtu;
	return s;
}
