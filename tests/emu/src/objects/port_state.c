/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/port_state.h"

#include <stddef.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "bounds.h"
#include "calls/async.h"
#include "mad/subnet.h"
#include "objects/port.h"
#include "packets/fabric.h"
#include "sysfs/sysfs.h"

/* Physical states of the port */
enum {
	POLLING = 2,
	DISABLED = 3,
	LINK_UP = 5
};

enum {
	WIDTH_4X = 2,
	SPEED_EDR = 32
};

/* Of four lanes */
static const struct {
	int gbps;
	uint8_t speed;
} speeds[] = { { 10, 1 }, { 20, 2 }, { 40, 4 }, { 56, 16 }, { 100, SPEED_EDR }, { 200, 64 }, { 400, 128 } };

bool port_is_up(const struct port *p)
{
	return p && p->state == IBV_PORT_ACTIVE;
}

/* Programs look into sysfs, the subnet into what was told */
static void tell(uint32_t number)
{
	sysfs_refresh(number);
	subnet_publish();
}

static void set_state(struct port *p, int state)
{
	p->state = state;
	p->phys_state = state == IBV_PORT_DOWN ? POLLING : LINK_UP;
}

void port_set_link(struct port *p, int state)
{
	set_state(p, state);
	p->width = WIDTH_4X;
	p->speed = SPEED_EDR;
}

void port_set_state(uint32_t number, int state)
{
	struct port *p = port_get(number);
	bool up = state == IBV_PORT_ACTIVE;

	if (up == port_is_up(p) || p->phys_state == DISABLED)
		return;
	set_state(p, state);
	tell(number);
	async_port_event(number, up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
}

void port_set_disabled(uint32_t number, bool disabled)
{
	struct port *p = port_get(number);

	if (disabled == (p->phys_state == DISABLED))
		return;
	port_set_state(number, IBV_PORT_DOWN);
	p->phys_state = disabled ? DISABLED : POLLING;
	tell(number);
}

void port_set_lid(uint32_t number, uint16_t lid)
{
	struct port *p = port_get(number);

	if (p->ethernet || lid == p->lid)
		return;
	p->lid = lid;
	fabric_publish();
	tell(number);
	async_port_event(number, IBV_EVENT_LID_CHANGE);
}

/* The default GID of InfiniBand stays the first; on Ethernet, each address has two */
static void renumber_gids(struct port *p)
{
	int fixed = p->ethernet ? 0 : 1, step = p->ethernet ? 2 : 1, n = p->ngids - fixed;
	struct gid *gids = p->gids + fixed, before[MAX_GIDS];

	if (n <= 0)
		return;
	memcpy(before, gids, n * sizeof(*gids));
	for (int i = 0; i < n; i++)
		gids[i] = before[(i + step) % n];
}

void port_flap(uint32_t number)
{
	struct port *p = port_get(number);
	int state = p->state;

	port_set_state(number, IBV_PORT_DOWN);
	renumber_gids(p);
	fabric_publish();
	tell(number);
	async_port_event(number, IBV_EVENT_GID_CHANGE);
	port_set_state(number, state);
}

void port_set_sm(uint32_t number, bool has_sm)
{
	port_get(number)->has_sm = has_sm;
	tell(number);
}

static const uint8_t *speed_of(int gbps)
{
	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].gbps == gbps)
			return &speeds[i].speed;
	return NULL;
}

bool port_speed_ok(int gbps)
{
	return speed_of(gbps);
}

void port_set_speed(uint32_t number, int gbps)
{
	struct port *p = port_get(number);
	const uint8_t *speed = speed_of(gbps);

	if (!speed || *speed == p->speed)
		return;
	p->speed = *speed;
	tell(number);
	async_port_event(number, EVENT_DEVICE_SPEED_CHANGE);
}
