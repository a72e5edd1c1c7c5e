/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Faults that happen by themselves: async events and changes of the port. */
#ifndef EMU_INJECT_H
#define EMU_INJECT_H

#include "faults/fault.h"

/* Let it happen when it is due and, an event, has somebody to go to. There must be room. */
void inject_add(const struct fault *f);
void inject_clear(void);

/* Say which ones still wait. */
void inject_report(void);

/* How many wait. */
int inject_waiting(void);

/* Let happen what is due. */
void inject_due(void);

#endif
