/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "port_state.h"

#include <stddef.h>
#include <infiniband/verbs.h>

#include "async.h"
#include "limits.h"

/* Physical states of the port */
enum {
	POLLING = 2,
	LINK_UP = 5
};

enum {
	WIDTH_4X = 2,
	SPEED_EDR = 32
};

struct port_state port_state = { .state = IBV_PORT_ACTIVE,
				 .phys_state = LINK_UP,
				 .width = WIDTH_4X,
				 .speed = SPEED_EDR,
				 .lid = PORT_LID };

/* Of four lanes */
static const struct {
	int gbps;
	uint8_t speed;
} speeds[] = { { 10, 1 }, { 20, 2 }, { 40, 4 }, { 56, 16 }, { 100, SPEED_EDR }, { 200, 64 }, { 400, 128 } };

bool port_is_up(void)
{
	return port_state.state == IBV_PORT_ACTIVE;
}

void port_set_state(int state)
{
	bool up = state == IBV_PORT_ACTIVE;

	if (up == port_is_up())
		return;
	port_state.state = state;
	port_state.phys_state = up ? LINK_UP : POLLING;
	async_port_event(1, up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
}

void port_set_lid(uint16_t lid)
{
	if (lid == port_state.lid)
		return;
	port_state.lid = lid;
	async_port_event(1, IBV_EVENT_LID_CHANGE);
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

void port_set_speed(int gbps)
{
	const uint8_t *speed = speed_of(gbps);

	if (!speed || *speed == port_state.speed)
		return;
	port_state.speed = *speed;
	async_port_event(1, EVENT_DEVICE_SPEED_CHANGE);
}
