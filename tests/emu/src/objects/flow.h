/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flow steering: which QP gets which of the frames that come to a port. */
#ifndef EMU_FLOW_H
#define EMU_FLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "objects/object.h"
#include "packets/flow_match.h"

struct counters;
struct qp;

struct flow {
	struct object o;
	TAILQ_ENTRY(flow) link;
	uint32_t type; /* IBV_FLOW_ATTR_... */
	uint8_t port;
	bool dont_trap; /* others get a copy */
	bool drop, has_tag;
	uint32_t tag;
	uint32_t rank; /* those of a lower one come first */
	struct matches matches;
	struct counters *counters;
	struct qp *qp;
};

/* By rank and, in a rank, as they were made */
TAILQ_HEAD(flow_list, flow);
extern struct flow_list flow_list;

void flow_release(struct object *o);

#endif
