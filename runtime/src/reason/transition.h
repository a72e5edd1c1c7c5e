/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TRANSITION_H
#define VERBSX_SRC_TRANSITION_H

/* The state machines of QPs and WQs as a table: generated/src/transitions.c. */

#include <infiniband/verbs.h>

#include "reason.h"

/** The type that a QP has in the table; 0 where the table does not know it. */
unsigned int vx_transition_type(const struct ibv_qp *qp);

/** "RC" and so on. */
const char *vx_transition_type_name(unsigned int type);

/** "INIT" and so on, of VX_QPT_WQ too; where there is no such state, in memory of the block that asks for it. */
#define VX_STATE(type, state) vx_state_in((char[VX_LONGEST_STATE]){ "" }, type, state)
#define VX_LONGEST_STATE 32
const char *vx_state_in(char *buf, unsigned int type, unsigned int state);

/** What the masks of a transition are; NULL where a QP of this type cannot take it. */
const struct vx_transition *vx_transition_find(unsigned int type, unsigned int from, unsigned int to);

/** Add that the caller takes it for being in another state. @param field  "cur_qp_state" */
void vx_reason_of_state(struct vx_failure *failure, unsigned int type, const char *field, unsigned int said, unsigned int is);

/** Add which state it cannot reach from where it is, or the bits that a mask lacks and those that it must not have. */
void vx_reason_of_transition(struct vx_failure *failure, unsigned int type, unsigned int from, unsigned int to, int attr_mask);

#endif
