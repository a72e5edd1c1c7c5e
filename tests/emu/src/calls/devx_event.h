/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Events of DEVX: entries of an event queue, for those who subscribed to their type. */
#ifndef EMU_DEVX_EVENT_H
#define EMU_DEVX_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/object.h"

struct devx_channel;
struct port;

/* Its descriptor is closed: with it go the subscriptions. */
void devx_channel_drop(struct devx_channel *ch);

/* The object goes away: nobody hears of it any more. */
void devx_event_release(struct object *o);

/* Send one of that type about an object or, for NULL, about the device: false if nobody subscribed. */
bool devx_event_send(const struct object *o, uint16_t type);

/* The same for what an event of verbs about a queue of that number, or about a port, is called here. */
void devx_event_object(const struct object *o, uint32_t number, int verbs_type);
void devx_event_port(const struct port *p, int verbs_type);

#endif
