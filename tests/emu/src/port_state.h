/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What of the port can change. */
#ifndef EMU_PORT_STATE_H
#define EMU_PORT_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct port_state {
	uint8_t state; /* IBV_PORT_... */
	uint8_t phys_state, width, speed; /* as in struct ibv_port_attr */
	uint16_t lid;
};

extern struct port_state port_state;

/* Nothing goes out or comes in while it is down. */
bool port_is_up(void);

/* Each sends the async event that belongs to it, if anything changes. */
void port_set_state(int state);
void port_set_lid(uint16_t lid);
void port_set_speed(int gbps);

/* Whether four lanes have that speed, in Gb/s. */
bool port_speed_ok(int gbps);

#endif
