/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_OBJECT_EVENT_BED_H
#define UNIT_OBJECT_EVENT_BED_H

/* What the tests of events have: a device, and a QP whose CQ has a channel. */

#include "unit/device.h"

extern struct vx_comp_channel *channel;
extern struct vx_cq *cq;
extern struct vx_qp *qp;

void open_with_qp(void);
struct vx_qp *new_qp(void);

/* Have the device send an event of the QP, by its name less IBV_EVENT_. */
void send_qp_event(const char *name);

struct vx_async_event take_async(void);

#endif
