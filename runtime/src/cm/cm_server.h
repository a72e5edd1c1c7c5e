/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_CM_SERVER_H
#define VERBSX_SRC_CM_SERVER_H

/* What a server has, for those who make and end one. */

#include <stdbool.h>

#include <verbsx/cm_server.h>

#include "kinds.h"
#include "object/make.h"

/* One connection: what a program sees of it, and its place among the others. It goes with its id, its QP or the server. */
struct vx_cm_one {
	struct vx_cm_connection seen;
	struct vx_cm_one *next, *before;
	struct vx_node *node;
	bool is_established;
	bool has_ended;			/* while established runs, after which it is closed, or until it can be */
	int status;			/* what its end is told with */
};

/* A request that waits, not acknowledged; one whose device is gone has no id. */
struct vx_cm_waiting {
	struct vx_cm_event event;
	int64_t since;
};

struct vx_cm_server_state {
	struct vx_kept_cm_server kept;
	struct vx_cm_server_init init;
	struct vx_cm_qp_init qp;
	struct vx_cm_server *handle;
	struct vx_cm_channel *channel;	/* its own, and all ids are under it */
	struct vx_cm_id *listener;	/* NULL: it is stopped */
	struct vx_cm_one *first;	/* of the connections */
	struct vx_cm_one *next;		/* on a way through them */
	struct vx_cm_waiting *queue;	/* a ring of init.waiting */
	uint32_t head, queued;
	uint32_t asking;		/* requests that the program is being asked about, and may step meanwhile */
	int watched, wake;
	int clock;			/* rings when the first of the queue has waited for too long; -1: nobody waits */
	int64_t rings_for;		/* since when that one waits; 0: it is not set */
	int cancelling;			/* how the thread in a step can be cancelled else */
	bool woken;
	bool left;			/* connections that have ended and could not be closed */
};

/* Deal with so many events at most, and what they let others do. @return how many there were, or a negative errno, recorded */
int vx_cm_take_server_events(struct vx_cm_server_state *s, int num_events);

/* Who has waited for as long does so no more; of 0 nobody does. */
void vx_cm_turn_away_late(struct vx_cm_server_state *s, int waiting_ms);

/*
 * Make a server or a client, which depends on the handles that its QPs do, where the program gave them: in init_qp, of the init structure,
 * what it gave is replaced by a copy, for as long as this. Returns 0 or a negative errno, recorded, such as -EINVAL where one of these is no
 * handle, or the service no port.
 */
int vx_cm_make(const struct vx_own_making *making, const char *service, const struct vx_cm_qp_init **init_qp, size_t qp_size, void *out);

#endif
