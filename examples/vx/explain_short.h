/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_SHORT_H
#define VX_EXPLAIN_SHORT_H

#include "explain.h"

/* A name without the prefix of its library or enum, or one that only manuals have. */
size_t explain_short(struct report *r, const char *text);

#endif
