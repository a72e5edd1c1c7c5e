/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The thread that is the device. */
#ifndef EMU_ENGINE_H
#define EMU_ENGINE_H

#include <stdbool.h>

/* Start it in this process, unless it runs. The device lock is held. */
void engine_start(void);
void engine_stop(void);

/* In a forked child: the thread is the parent's. */
void engine_forget(void);

/*
 * A thread of the program looks for completions or has posted work: it does what the engine would.
 * Whether there was anything.
 */
bool engine_help(void);

/* It is about to wait for an event: others wake the engine from now on. */
void engine_expect(void);

/* Whether this is the process that it runs in, and no child of that. */
bool engine_is_here(void);

/* Whether it was ever started, here or in a parent. */
bool engine_was_started(void);

#endif
