/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Completion channels: descriptors that carry completion events. */
#ifndef EMU_CHANNEL_H
#define EMU_CHANNEL_H

#include "calls/event_pipe.h"
#include "objects/object.h"

struct channel {
	struct object o;
	struct event_pipe pipe;
	int fds; /* descriptors of the program */
};

/* Free it if neither a descriptor nor a CQ needs it any more. */
void channel_put(struct channel *ch);

#endif
