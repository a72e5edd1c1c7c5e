/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Calls that fail on request. */
#ifndef EMU_FAULT_H
#define EMU_FAULT_H

/* Replace the list; NULL: none. See vx_emu_fail(). */
void fault_list(const char *list);

/* Count a call of that name; the errno that it has to fail with, or 0. */
int fault_check(const char *name);

/* How many calls there were. */
unsigned long fault_calls(void);

/* "ENOMEM" */
const char *fault_errno_name(int err);

#endif
