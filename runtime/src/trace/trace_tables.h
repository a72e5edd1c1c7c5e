/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TRACE_TABLES_H
#define VERBSX_SRC_TRACE_TABLES_H

/* The lines of a trace. */

#include <verbsx/trace.h>

#include "text/signature.h"
#include "trace.h"

extern _Atomic(uint64_t) vx_trace_counts[];

static inline const struct vx_signature *vx_traced_of(const struct vx_trace *trace)
{
	return &vx_signatures[trace->traced];
}

/* trace.c */

void vx_trace_forget_counts(void);

/* trace_sink.c */

/* What is wanted of the call at hand; the environment is read when nobody has done so yet. */
unsigned int vx_trace_sinks(void);

/* Hand a line on; there is room for a newline behind it. */
void vx_trace_deliver(struct vx_trace_call *call, char *line, size_t len);

/* trace_line.c */

/* The line up to the parameters that are read after the call. */
void vx_trace_open_line(struct vx_trace *trace);

/*
 * The rest of the line, without its end.
 *
 * @param error  errno after the call
 * @return 0 or, where the call failed, a negative errno
 */
int vx_trace_close_line(struct vx_trace *trace, int64_t result, int error, uint64_t ns);

/* trace_handle.c */

/* An object of rdma-core, such as "mlx5_0 qp 17". */
void vx_put_raw(struct vx_out *out, uint16_t handle, const void *raw);

#endif
