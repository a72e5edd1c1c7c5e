/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TRACE_SINK_H
#define VERBSX_SRC_TRACE_SINK_H

/* Where traced calls go: a file, a function, or only the counters. */

#include <verbsx/trace.h>

#include "trace.h"

/* What is wanted of the call at hand; the environment is read when nobody has done so yet. */
unsigned int vx_trace_sinks(void);

/* Hand a line on; there is room for a newline behind it. */
void vx_trace_deliver(struct vx_trace_call *call, char *line, size_t len);

/* trace.c */
void vx_trace_forget_counts(void);

#endif
