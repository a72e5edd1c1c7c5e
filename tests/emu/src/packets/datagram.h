/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Requests of UD QPs. */
#ifndef EMU_DATAGRAM_H
#define EMU_DATAGRAM_H

#include "packets/request.h"

/* Deliver to a QP or a multicast group. What nobody takes is lost. */
void datagram_deliver(struct request *r);

#endif
