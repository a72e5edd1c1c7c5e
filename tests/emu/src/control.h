/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Faults asked for from outside: in the environment, or in a file that is followed. */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

/* A list of faults or, with a slash in it, the name of a file of them. NULL: none. */
void control_start(const char *list_or_file);

/* Read on in that file. */
void control_follow(void);

#endif
