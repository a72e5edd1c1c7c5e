/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The requester's part: send queues are worked off. */
#ifndef EMU_REQUESTER_H
#define EMU_REQUESTER_H

#include <stdbool.h>

struct qp;

/* Execute the next WQE; false if there is none, or it has to wait for the responder. */
bool requester_step(struct qp *q);

#endif
