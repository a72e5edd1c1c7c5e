/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Flows of mlx5dv: what they match is a matcher's mask with a value; what they do besides is in actions. */
#ifndef EMU_FLOW_MATCHER_H
#define EMU_FLOW_MATCHER_H

#include "objects/object.h"
#include "packets/fte.h"
#include "packets/rewrite.h"

struct matcher {
	struct object o;
	uint8_t mask[FTE_SIZE];
	uint16_t priority;
	bool egress;
};

/* One modify-header action or several, or one that puts headers before a frame or takes them off */
struct flow_action {
	struct object o;
	bool egress;
	void (*run)(const struct flow_action *a, struct rewrite *r);
	size_t size;
	uint8_t data[];
};

/* Whether it changes fields of headers, and puts on or takes off none. */
bool flow_action_modifies(const struct flow_action *a);

/* Of DEVX */
struct flow_counter {
	struct object o;
	uint64_t packets, octets;
};

void flow_counter_add(struct flow_counter *k, uint32_t len);

#endif
