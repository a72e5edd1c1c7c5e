/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the process tells about itself, and what others have told. */
#include "mad/subnet.h"

#include <stdio.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "config.h"
#include "objects/port.h"
#include "packets/fabric.h"

#define FIRST_MULTICAST_LID 0xc001
#define LIDS_OF_GROUPS 0x3f00

static struct subnet_host own;

static struct subnet_port snapshot(const struct port *p)
{
	struct subnet_port s = {
		.number = p->number,
		.node = p->device,
		.local = p->local,
		.ethernet = p->ethernet,
		.state = p->state,
		.phys_state = p->phys_state,
		.width = p->width,
		.speed = p->speed,
		.mtu = p->mtu,
		.lid = p->lid,
		.sm_lid = p->sm_lid,
		.guid = port_node_guid(p->device) + p->local,
		.cap_mask = port_cap_mask(p),
		.bad_pkeys = p->bad_pkeys,
		.bad_qkeys = p->bad_qkeys,
		.npkeys = p->npkeys,
		.ngids = p->ngids,
	};

	memcpy(s.pkeys, p->pkeys, sizeof(s.pkeys));
	for (int i = 0; i < p->ngids; i++)
		memcpy(s.gids[i], p->gids[i].raw, GID_SIZE);
	return s;
}

static struct subnet_node node(uint8_t device)
{
	struct subnet_node n = { .guid = port_node_guid(device),
				 .system_guid = port_system_guid(),
				 .nports = config.ports };

	snprintf(n.description, sizeof(n.description), "%s", port_node_description(device));
	return n;
}

struct subnet_host *subnet_own(void)
{
	own.version = sizeof(own);
	own.place = fabric_place();
	own.nports = port_total();
	for (uint32_t d = 0; d < config.devices; d++)
		own.nodes[d] = node(d);
	for (uint32_t n = 1; n <= port_total(); n++)
		own.ports[n - 1] = snapshot(port_get(n));
	return &own;
}

const struct subnet_node *subnet_node_of(const struct subnet_host *h, uint8_t port)
{
	return &h->nodes[h->ports[port - 1].node];
}

void subnet_publish(void)
{
	fabric_tell(subnet_own(), sizeof(own));
}

void subnet_forget(void)
{
	memset(&own, 0, sizeof(own));
}

static bool read_host(uint32_t place, struct subnet_host *h)
{
	return fabric_hear(place, h, sizeof(*h)) && h->version == sizeof(*h) && h->place == place &&
	       h->nports <= MAX_PORTS;
}

bool subnet_host_at(uint32_t place, struct subnet_host *h)
{
	if (place != fabric_place())
		return read_host(place, h);
	*h = *subnet_own();
	return true;
}

struct visit {
	void (*fn)(const struct subnet_host *h, void *arg);
	void *arg;
};

static void visit(unsigned int place, void *arg)
{
	const struct visit *v = arg;
	struct subnet_host h;

	if (read_host(place, &h))
		v->fn(&h, v->arg);
}

void subnet_each_process(void (*fn)(const struct subnet_host *h, void *arg), void *arg)
{
	struct visit v = { fn, arg };

	fn(subnet_own(), arg);
	fabric_each(visit, &v);
}

void subnet_each(void (*fn)(const struct subnet_host *h, void *arg), void *arg)
{
	if (config.one_host)
		fn(subnet_own(), arg);
	else
		subnet_each_process(fn, arg);
}

uint16_t subnet_group_lid(const uint8_t gid[GID_SIZE])
{
	uint32_t sum = 0;

	for (int i = 0; i < GID_SIZE; i++)
		sum = sum * 31 + gid[i];
	return FIRST_MULTICAST_LID + sum % LIDS_OF_GROUPS;
}
