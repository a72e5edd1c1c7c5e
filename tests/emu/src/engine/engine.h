/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The thread that is the device. */
#ifndef EMU_ENGINE_H
#define EMU_ENGINE_H

#include <stdbool.h>

/* Start it in this process, unless it runs. The device lock is held. */
void engine_start(void);
void engine_stop(void);

/* Whether this is the process that it runs in, and no child of that. */
bool engine_is_here(void);

/* Whether it was ever started, here or in a parent. */
bool engine_was_started(void);

#endif
