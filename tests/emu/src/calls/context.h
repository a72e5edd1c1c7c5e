/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* One opened device. */
#ifndef EMU_CONTEXT_H
#define EMU_CONTEXT_H

#include <stdbool.h>

#include "calls/event_pipe.h"

#define MAX_CONTEXTS 256

struct context {
	int command_fds; /* descriptors of the device node */
	bool has_async;
	struct event_pipe async;
};

/* The table; a place is in use while it has either kind of descriptor. */
extern struct context contexts[MAX_CONTEXTS];

/* Open the device node: a descriptor, or -1 with errno. */
int context_open(int flags);

/* The last descriptor was closed. The kernel then frees all that is left. */
void context_release(struct context *ctx);

/* How many are open. */
int context_count(void);

#endif
