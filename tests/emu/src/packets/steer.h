/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_STEER_H
#define EMU_STEER_H

#include <stdint.h>

struct qp;

/* A frame leaves a port, and comes back to it: to the QPs that its flows name. */
void steer_send(const struct qp *from, const uint8_t *data, uint32_t len);

#endif
