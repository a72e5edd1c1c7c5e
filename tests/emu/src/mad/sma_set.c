/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Set of PortInfo: the LID, and the state of the link. All else that it has stays as it is, or is of the switch. */
#include "mad/sma_set.h"

#include <infiniband/verbs.h>

#include "mad/attribute.h"
#include "objects/port.h"
#include "objects/port_state.h"

#define LAST_UNICAST_LID 0xbfff

enum {
	NO_CHANGE = 0,
	PHYS_POLLING = 2,
	PHYS_DISABLED = 3
};

/* What was read may be written back, but for a port that polls: it would begin anew */
static bool phys_state_is_kept(const struct port *p, const struct port_setting *s)
{
	return s->phys_state == NO_CHANGE || (s->phys_state == p->phys_state && s->phys_state != PHYS_POLLING);
}

static bool is_known(const struct port *p, const struct port_setting *s)
{
	return s->lid && s->lid <= LAST_UNICAST_LID &&
	       (s->state == NO_CHANGE || s->state == IBV_PORT_DOWN || s->state == p->state) &&
	       (phys_state_is_kept(p, s) || s->phys_state == PHYS_POLLING || s->phys_state == PHYS_DISABLED);
}

/*
 * A link that goes down trains again, and the manager brings the port up at once; not one that is disabled,
 * which it is until it is told to poll.
 */
bool sma_set_port(uint32_t number, const struct port_setting *s)
{
	struct port *p = port_get(number);

	if (!is_known(p, s))
		return false;
	port_set_lid(number, s->lid);
	if (s->state != IBV_PORT_DOWN && phys_state_is_kept(p, s))
		return true;
	port_set_state(number, IBV_PORT_DOWN);
	if (!phys_state_is_kept(p, s))
		port_set_disabled(number, s->phys_state == PHYS_DISABLED);
	port_set_state(number, IBV_PORT_ACTIVE);
	return true;
}
