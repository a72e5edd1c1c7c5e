/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_STEER_H
#define EMU_STEER_H

#include <stdint.h>

struct qp;

/*
 * A frame leaves a port, for the process whose MAC it is sent to. One to nobody's, or to many, goes to all processes, and comes in
 * at all ports of its own too, as one to its own MAC does at that: to the QPs that its flows name.
 */
void steer_send(const struct qp *from, const uint8_t *data, uint32_t len);

/* One comes from another process. */
void steer_receive(const uint8_t *data, uint32_t len);

#endif
