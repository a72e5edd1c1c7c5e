/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The requester's part: send queues are worked off. */
#ifndef EMU_REQUESTER_H
#define EMU_REQUESTER_H

#include <stdbool.h>

struct qp;

/* Take a WQE, send what may go, complete what is done; false if there is nothing to do now. */
bool requester_step(struct qp *q);

/* Write the completions of what has been acknowledged. */
bool requester_complete(struct qp *q);

/* What was posted before the doorbell last rang goes out, as far as it can. */
void requester_drain(struct qp *q);

#endif
