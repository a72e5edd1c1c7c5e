/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The way to the other end, on which packets get lost, late and damaged if asked to. */
#ifndef EMU_WIRE_H
#define EMU_WIRE_H

#include <stdbool.h>

struct answer;
struct flight;
struct qp;

enum fate {
	WIRE_PASSES,
	WIRE_LOST,
	WIRE_LATER
};

/* What becomes of the packet that a request is cut to; a fault may change its data. */
enum fate wire_meet(struct qp *q, struct flight *f);

/* Whether a packet of an answer arrives. */
bool wire_back(struct qp *q, const struct answer *a);

#endif
