/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The requests of a send queue go out, packet by packet. */
#ifndef EMU_TRANSMIT_H
#define EMU_TRANSMIT_H

#include <stdbool.h>

struct qp;

/* Send what may go now: whether there was anything. */
bool transmit(struct qp *q);

#endif
