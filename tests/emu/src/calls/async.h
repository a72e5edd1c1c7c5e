/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Async events: those of the device itself and those asked for. */
#ifndef EMU_ASYNC_H
#define EMU_ASYNC_H

#include <stdbool.h>

#include <infiniband/verbs.h>

#include "objects/object.h"

struct nearest;

/* Not in every verbs.h that we support */
#define EVENT_DEVICE_SPEED_CHANGE (IBV_EVENT_WQ_FATAL + 1)

/* Send one about an object, or about a port to every context of its device: false if there is none. */
void async_object_event(struct object *o, int type);
bool async_port_event(int number, int type);

/*
 * Of an object that is about to be destroyed, and has no more of them from now on: take back what was not read. The number of events
 * that the program did read.
 */
int async_events_reported(struct object *o);

/* The type of that name, with or without IBV_EVENT_; -1 for none. */
int async_type(const char *name);

/* Show all names to nearest_see(). */
void async_names(struct nearest *n);

/* The kind of object that it is about; NONE: a port or the device. */
enum kind async_kind(int type);

#endif
