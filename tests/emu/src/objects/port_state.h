/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What of a port can change. */
#ifndef EMU_PORT_STATE_H
#define EMU_PORT_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct port;

/* How a port begins; its addresses are set apart. */
void port_set_link(struct port *p, int state);

/* Nothing goes out or comes in while it is down. */
bool port_is_up(const struct port *p);

/* Of the port of that number. Each sends the async event that belongs to it, if anything changes. */
void port_set_state(uint32_t number, int state);
/* It goes down, and stays so until it is no longer disabled: then it polls. */
void port_set_disabled(uint32_t number, bool disabled);
/* It goes down, its addresses come back in another order, and it is what it was. */
void port_flap(uint32_t number);
void port_set_lid(uint32_t number, uint16_t lid);
void port_set_speed(uint32_t number, int gbps);
/* Without an event: it is capabilities that change. */
void port_set_sm(uint32_t number, bool has_sm);

/* Whether four lanes have that speed, in Gb/s. */
bool port_speed_ok(int gbps);

#endif
