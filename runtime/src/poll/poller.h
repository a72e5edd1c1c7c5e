/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_POLLER_H
#define VERBSX_SRC_POLLER_H

/* What a poller keeps. It is one thread's at a time, but for wake and woken. */

#include <stdbool.h>

#include <verbsx/poller.h>

#include "kinds.h"
#include "object/object.h"

struct vx_poller_state {
	struct vx_kept_poller kept;
	struct vx_node *node;
	struct vx_cq *cq;
	struct vx_comp_channel *channel;	/* NULL: there is none */
	void (*async)(const struct vx_async_event *event, void *data);
	void *data;
	int wake;				/* eventfd(2), written for what follows */
	int watched;				/* epoll(7), of all that may wake it; -1: nothing may */
	bool woken;				/* by the program */
	bool has_event;				/* in the channel, by which it was woken */
	bool has_one;				/* taken by vx_poller_arm(), to be given first */
	bool has_failed;			/* by an event, after which no completion will come */
	enum ibv_event_type fatal;		/* that one */
	struct ibv_wc one;
};

#endif
