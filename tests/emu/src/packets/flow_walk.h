/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The way of a frame through the flow tables that mailboxes made. */
#ifndef EMU_FLOW_WALK_H
#define EMU_FLOW_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "packets/frame.h"

struct flow_table;
struct rewrite;
struct tir;

typedef void flow_end(const struct tir *t, const struct frame *f, uint32_t tag);

/**
 * From a table on, to all that its entries lead to.
 *
 * @param tag  that it has until an entry has one
 * @param f    of what leaves, what has become of it
 * @param end  called with each TIR; NULL of what leaves
 * @param room where a frame that leaves is changed; NULL of what comes, which may go several ways
 * @return whether a frame that leaves does so
 */
bool flow_walk(const struct flow_table *t, struct frame *f, uint32_t tag, flow_end *end, struct rewrite *room);

#endif
