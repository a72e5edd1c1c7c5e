/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The ways to other processes: a ring for what goes to each, one for what comes from each, and a connected socket
 * that hands over the ring, wakes the reader and tells whether it is alive.
 */
#ifndef EMU_LINK_H
#define EMU_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "packets/fabric.h"

enum link_result {
	LINK_SENT,
	LINK_FULL, /* the other one has to read first, */
	LINK_STUCK, /* which it has not done for long: what nobody acknowledges is lost */
	LINK_NO_DATA, /* they are no longer where they were */
	LINK_DEAD /* there is nobody of that address */
};

enum link_result link_send(const struct address *to, const struct iovec *parts, int n);

/* Whether there is somebody at an address; to have asked is all that it does to them. */
bool link_probe(const struct address *to);

/* Call @take with some of the messages that are there: whether there was any. @ask: for new rings too, by a call. */
bool link_receive(bool ask, void (*take)(const void *message, size_t size));

/* The one who looks for messages sleeps, or is back: whether there is anything already. */
bool link_sleep(void);
void link_wake(void);

/* What was inherited is the parent's. */
void link_forget(void);

#endif
