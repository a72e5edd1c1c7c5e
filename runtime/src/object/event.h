/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_EVENT_H
#define VERBSX_SRC_EVENT_H

/* Waiting for events, and keeping those that are to be acknowledged: what events of devices and of connections have in common. */

#include <infiniband/verbs.h>

#include "object.h"

struct rdma_cm_event;

#define VX_NOTHING (-EAGAIN)

/* An event that was taken; the node that keeps it is its object, or what it was read from for a stranger's. */
struct vx_event {
	struct vx_event *next;		/* of the same node */
	struct vx_event *beside;	/* of all, one whose number is alike */
	struct vx_node *keeper;
	uint64_t number;
	struct ibv_async_event raw;
	struct rdma_cm_event *cm;	/* instead, of a connection */
};

/* Milliseconds of a clock that nobody sets, and how many are left of a time that began then: for poll(2); negative: for ever. */
int64_t vx_now_ms(void);
int vx_left_ms(int timeout_ms, int64_t start);

/* Takes what a node has to tell, if it is there; else VX_NOTHING. */
typedef int (*vx_take_function)(struct vx_node *node, void *event);

/* Wait for a descriptor to have something, and take it. @param timeout_ms  as for vx_ctx_get_async_event() */
int vx_event_wait(struct vx_node *node, int fd, vx_take_function take_one, int timeout_ms, void *event);

/* What reading an event has failed with, recorded; VX_NOTHING is not. */
int vx_event_read_fail(const char *call, const struct vx_node *node);

/* Room for what is to be taken, before there is something to lose. NULL: no memory, recorded. */
struct vx_event *vx_event_new(const char *call);
void vx_event_free(struct vx_event *entry);

/* Under the lock: keep an event with a node; 0: that is just being closed, and waits for the acknowledgement. Else its number. */
uint64_t vx_event_keep(struct vx_node *keeper, struct vx_event *taken);

/* Take one out again, whatever became of what it is about; NULL: it is not there any more. */
struct vx_event *vx_event_take_out(uint64_t number);

#endif
