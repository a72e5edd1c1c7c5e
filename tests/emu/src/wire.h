/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The way to the other end, on which packets get lost, late and damaged if asked to. */
#ifndef EMU_WIRE_H
#define EMU_WIRE_H

#include <stdint.h>

struct answer;
struct packet;
struct qp;

/**
 * Let a packet out.
 *
 * @param data  its payload, if it has any; a fault may change it
 * @return 0, STALL_PEER where it is lost, or STALL_DELAY where it goes later
 */
int wire_cross(struct qp *q, const struct packet *p, uint8_t *data);

/* Let the answer back: what it says, or STALL_PEER where it is lost. */
int wire_back(struct qp *q, const struct packet *p, const struct answer *a);

#endif
