/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_UNACKED_H
#define VERBSX_SRC_UNACKED_H

/*
 * Events that rdma-core has given and not got back. Destroying their object would wait for that for ever, so each context
 * keeps a list, from which they are acknowledged at the latest when the object is closed. All of it is called under the
 * lock of the context.
 */

#include <stdbool.h>

#include <infiniband/verbs.h>

#include "object.h"

struct vx_unacked {
	struct vx_unacked *next;
	struct vx_node *node;		/* NULL: libverbsx does not know the object */
	uint64_t number;		/* of an asynchronous event, from 1; 0: completion events of a CQ */
	unsigned int completions;	/* how many of these */
	struct ibv_async_event event;
};

/* Have memory for one event more. Returns -ENOMEM, recorded for a call, where there is none. */
int vx_unacked_prepare(struct vx_root *root, const char *call);

/* Note an event; vx_unacked_prepare() came before. Returns its number. */
uint64_t vx_unacked_add(struct vx_root *root, struct vx_node *node, const struct ibv_async_event *event);

/* Note one completion event more of a CQ; vx_unacked_prepare() came before. */
void vx_unacked_add_completion(struct vx_root *root, struct vx_node *cq);

/* Acknowledge an event by its number; nothing happens where that has been done. */
void vx_unacked_ack(struct vx_root *root, uint64_t number);

/* Acknowledge all that is left of an object. */
void vx_unacked_settle(struct vx_node *node);

/* Acknowledge all that is left; the context stays with its owner. */
void vx_unacked_settle_all(struct vx_root *root);

/* The context has gone. */
void vx_unacked_forget(struct vx_root *root);

#endif
