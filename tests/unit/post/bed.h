/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_POST_BED_H
#define UNIT_POST_BED_H

/* What the tests of the data path have: a device, a CQ with a channel, and QPs that are connected with themselves. */

#include "unit/device.h"

extern struct vx_comp_channel *channel;
extern struct vx_cq *cq;
extern struct vx_qp *qp;	/* RC, in RTS, its peer is itself */

void open_loop(void);

/* Of a type, in INIT; with an SRQ, if that is not NULL. */
struct vx_qp *new_qp_in_init(struct vx_cq *of, enum ibv_qp_type type, struct vx_srq *srq);

/* From INIT on to a peer at the same port; of a UD QP to RTS. */
void connect_to(struct vx_qp *which, struct vx_qp *peer);
void break_qp(struct vx_qp *which);

/* The way to the port itself. */
struct vx_ah *way_back(void);

/* Until all that was posted before has completed, and waits on its CQ. */
void settle(void);

/* Wait for so many completions of a CQ. */
void wait_for(struct vx_cq *of, struct ibv_wc *wc, int count);

#endif
