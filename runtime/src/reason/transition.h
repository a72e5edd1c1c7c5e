/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TRANSITION_H
#define VERBSX_SRC_TRANSITION_H

/* The state machine of a QP as a table: generated/src/transitions.c. */

#include <infiniband/verbs.h>

#include "reason.h"

/** The type that a QP has in the table; 0 where the table does not know it. */
unsigned int vx_transition_type(const struct ibv_qp *qp);

/** "RC" and so on. */
const char *vx_transition_type_name(unsigned int type);

/** "INIT" and so on; in @p buf where there is no such state. */
const char *vx_state_name(enum ibv_qp_state state, char *buf, size_t len);

/** What the masks of a transition are; NULL where a QP of this type cannot take it. */
const struct vx_transition *vx_transition_find(unsigned int type, enum ibv_qp_state from, enum ibv_qp_state to);

/** Add which state it cannot reach from where it is, or the bits that a mask lacks and those that it must not have. */
void vx_reason_of_transition(struct vx_reason *reason, const struct ibv_qp *qp, enum ibv_qp_state from,
			     enum ibv_qp_state to, int attr_mask);

#endif
