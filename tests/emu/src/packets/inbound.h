/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The responder's side of requests from other processes. */
#ifndef EMU_INBOUND_H
#define EMU_INBOUND_H

#include "packets/message.h"

/* Do what the packets of a message ask for, and answer. */
void inbound_take(const struct header *h, const uint8_t *data, uint32_t n);

/* Acknowledge what is not yet: one acknowledgement stands for all that came before of the same requester. */
void inbound_acknowledge(void);

/* Send on what others did not take at once: whether there is more. */
bool inbound_push(void);

/* Forget all of it: a forked child. */
void inbound_forget(void);

#endif
