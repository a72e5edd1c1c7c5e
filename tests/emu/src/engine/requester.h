/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The requester's part: send queues are worked off. */
#ifndef EMU_REQUESTER_H
#define EMU_REQUESTER_H

#include <stdbool.h>

struct qp;

/* Take a WQE, send what may go, complete what is done; false if there is nothing to do now. */
bool requester_step(struct qp *q);

#endif
