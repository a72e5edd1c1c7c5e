/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_EVENT_H
#define VERBSX_SRC_EVENT_H

/*
 * Events that rdma-core has given and not got back. Destroying their object would wait for that for ever, so a node keeps
 * those about it; they are acknowledged at the latest when it is closed.
 */

#include "object.h"

/* What an event is about beside objects, which have their kind. */
#define VX_ABOUT_UNKNOWN 0
#define VX_ABOUT_PORT 0xfe
#define VX_ABOUT_DEVICE 0xff

/* By value of enum ibv_event_type. Generated. */
extern const uint8_t vx_event_abouts[];
extern const unsigned int vx_event_about_count;

/* What is to be acknowledged of a node that is about to go. */
struct vx_unacked {
	struct vx_event *events;
	unsigned int completions;
};

/* Take it from the node, under the lock; then acknowledge it, without. */
struct vx_unacked vx_unacked_of(struct vx_node *node);
void vx_unacked_settle(const struct vx_node *node, const struct vx_unacked *left);

#endif
