/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Further handles of an XRC QP that receives, which lives until the last of all is closed. */
#ifndef EMU_QP_OPEN_H
#define EMU_QP_OPEN_H

#include <stdbool.h>

#include "objects/qp.h"

/* The QP of a handle, of whichever sort; NULL for none. */
struct qp *qp_of_handle(const struct call *c, uint64_t handle);

/* The object that a handle is: the QP itself or one that was opened; NULL for none. */
struct object *qp_handle(const struct call *c, uint64_t handle);

/* Let the first handle go while others stay: false where there are none. */
bool qp_outlives(struct object *o);

void qp_opened_release(struct object *o);

/* Send an event to all that have it open. */
void qp_event(struct qp *q, int type);

#endif
