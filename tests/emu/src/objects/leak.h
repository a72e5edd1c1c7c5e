/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Objects that were never destroyed, one by one. */
#ifndef EMU_LEAK_H
#define EMU_LEAK_H

#include <stdbool.h>

struct object;

/* Whether that is wanted. */
extern bool leak_names;

/* A line on stderr: what it was, and of what. */
void leak_tell(const struct object *o);

#endif
