/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Multicast groups. */
#ifndef EMU_MCAST_H
#define EMU_MCAST_H

#include <stdbool.h>
#include <stdint.h>

struct qp;

bool mcast_is_member(const struct qp *q);
void mcast_leave_all(const struct qp *q);

/* Call @fn with each member of a group: false where there is none. */
bool mcast_each(const uint8_t gid[16], void (*fn)(struct qp *member, void *arg), void *arg);

#endif
