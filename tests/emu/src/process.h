/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Start, fork and end of the process. */
#ifndef EMU_PROCESS_H
#define EMU_PROCESS_H

#include <stdbool.h>

/* Whether this is a forked child of the process that loaded the library. */
bool process_is_forked(void);

/* The program looks for devices: before, nothing is there that would have to be removed. */
void process_discover(void);
bool process_has_discovered(void);

/* Until it has, if it is about to; for a handler, which cleans up behind it. */
void process_await_discovery(void);

#endif
