/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_MESSAGE_H
#define VX_EXPLAIN_MESSAGE_H

/* What the C library and libibverbs say, somewhere in a line. */

#include "topics.h"

void add_errno_said(struct topics *topics, const char *line);
void add_values_said(struct topics *topics, const char *line);

#endif
