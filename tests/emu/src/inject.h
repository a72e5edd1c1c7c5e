/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Async events on request. */
#ifndef EMU_INJECT_H
#define EMU_INJECT_H

#include <stdbool.h>

/* One EVENT[:NUM][@MS]; -1 where it is none. */
int inject_event(const char *text);

/* A list of these or, with a slash in it, the name of a file to follow. */
void inject_from(const char *list_or_file);

/* Read on in that file. */
void inject_follow(void);

/* Send what is due and has somebody to go to. */
void inject_due(void);

#endif
