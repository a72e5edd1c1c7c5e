/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_POST_DISPATCHER_BED_H
#define UNIT_POST_DISPATCHER_BED_H

/* What the tests of dispatching have: QPs whose requests complete, and what is called then. */

#include "unit/post/bed.h"

extern struct vx_dispatcher *dispatcher;

/* A write of nothing: one completion. */
void complete_with(struct vx_qp *of, uint64_t wr_id);

/* Count a completion in the int that data is. */
void tally(const struct ibv_wc *wc, void *data);

/* Connected with itself. */
struct vx_qp *new_peer(void);

/* Until the dispatcher has had so many completions. */
void dispatch_all(int expected);

#endif
