/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a flow asks of the headers of a frame. */
#ifndef EMU_FLOW_MATCH_H
#define EMU_FLOW_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packets/frame.h"

#define MAX_FLOW_SPECS 10
#define MAX_FILTER 40 /* bytes: that of IPv6 */

/* A specification of a header: in both, what struct ib_uverbs_flow_..._filter has */
struct match {
	uint32_t type; /* IBV_FLOW_SPEC_... */
	uint8_t val[MAX_FILTER], mask[MAX_FILTER];
};

struct matches {
	uint32_t count;
	struct match match[MAX_FLOW_SPECS];
};

/**
 * Add the specification of a header, as the kernel has it: filters of @size bytes each.
 *
 * @return 0, EINVAL for a type that is unknown or a filter that is none, EOPNOTSUPP for a mask of
 *         what the device does not look at
 */
int matches_add(struct matches *m, uint32_t type, const uint8_t *val, const uint8_t *mask, size_t size);

/* Whether they contradict each other: 0 or EINVAL. */
int matches_check(const struct matches *m);

/* They are for multicast alone, as far as the kernel looks. */
bool matches_are_multicast(const struct matches *m);

bool matches_equal(const struct matches *a, const struct matches *b);
bool matches_frame(const struct matches *m, const struct frame *f);

#endif
