/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Faults asked for from outside: in the environment, in a file that is followed, over a socket. */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include <stddef.h>

/*
 * A list of faults or, with a slash in it, the name of a file of them. NULL: none.
 * -1 with the mistakes on stderr where there are any in what is there by now.
 */
int control_start(const char *list_or_file);

/* Read on in that file, and serve the socket. */
void control_follow(void);

/* A line of either: faults, "clear", or nothing after a '#'. -1 with a message where it is refused. */
int control_obey(const char *line, char *why, size_t size);

#endif
