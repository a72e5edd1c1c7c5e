/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Objects that were never destroyed, one by one. */
#ifndef EMU_LEAK_H
#define EMU_LEAK_H

#include <stdbool.h>

struct context;
struct object;

/* Whether what is left is told at all, and whether one by one. */
extern bool leak_report, leak_names;

/*
 * Whether it is librdmacm that opens a device just now: it never closes a context, and no program is to blame for that.
 * Looked at only where somebody is told.
 */
bool leak_is_of_librdmacm(void);

/* A line on stderr: what it was, and of what. */
void leak_tell(const struct object *o);
void leak_tell_context(const struct context *ctx);

#endif
