/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The sleep of the engine, and what ends it early. */
#ifndef EMU_WAKE_H
#define EMU_WAKE_H

#include <stdbool.h>
#include <stdint.h>

/* Get ready in this process. -1 where there is no descriptor for it. */
int wake_start(void);

/*
 * Sleep: whether there may be a message now. The device lock is held, but given up meanwhile. @listen: others wake us
 * when they send; else they believe that somebody looks all the time.
 */
bool wake_sleep(uint64_t ns, bool listen);

/* End such a sleep; cheap when nobody sleeps. The device lock is held. */
void wake_up(void);

#endif
