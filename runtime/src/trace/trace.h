/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TRACE_H
#define VERBSX_SRC_TRACE_H

/*
 * Tracing. Every source that calls rdma-core includes the generated traced.h last, which puts a test of one byte before
 * each such call. Where that is set, the generated function vx_traced_NAME() is called instead: it stores the arguments in
 * a row, calls vx_trace_begin(), the function itself, and vx_trace_end(). Neither changes errno or vx_error().
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <verbsx/config.h>
#include <verbsx/trace.h>

#include "text/out.h"
#include "text/signature.h"

#define VX_TRACE_LONGEST 8192	/* bytes of a line; of one that is longer, the end of the arguments is left out */

/* What is to be done with calls. */
enum {
	VX_TRACE_TO_FILE = 1 << 0,
	VX_TRACE_TO_FUNCTION = 1 << 1,
	VX_TRACE_COUNTING = 1 << 2,
	VX_TRACE_UNKNOWN = 1 << 3,	/* nobody has looked at the environment yet */
	VX_TRACE_DATA = 1 << 4,		/* objects are to have a tap */
	VX_TRACE_LINES = VX_TRACE_TO_FILE | VX_TRACE_TO_FUNCTION,
};

extern _Atomic(unsigned char) vx_trace_wanted;

/* A call while it is made; on the stack of its traced form. */
struct vx_trace {
	uint64_t *args;
	uint64_t mask;			/* beside the structures that are given, where no argument is that */
	uint32_t most;			/* of a list that is given, how many are looked at: whoever counts them may be wrong */
	uint16_t traced;		/* of vx_signatures */
	bool lines;			/* someone wants a line */
	bool aside;			/* it only looks for the reason of a failure */
	bool is_data;			/* of the data path: it takes less than a microsecond */
	bool is_list;			/* of requests, whose arguments have ended */
	uint64_t start;			/* CLOCK_REALTIME, in ns */
	uint64_t begun;			/* CLOCK_MONOTONIC, in ns */
	void (*more)(struct vx_out *out, const void *of); /* what stands behind the time; NULL: nothing */
	const void *of;
	struct vx_out out;		/* the line so far */
	char line[VX_TRACE_LONGEST];
};

/* Inline, and so no more than a test and a branch, whether or not the compiler optimizes for speed. */
#define VX_SHADOW static inline __attribute__((always_inline))

VX_SHADOW bool vx_tracing(void)
{
	return __builtin_expect(atomic_load_explicit(&vx_trace_wanted, memory_order_relaxed), 0);
}

#ifdef VX_TRACE_ASIDE
#define VX_TRACE_IS_ASIDE true
#else
#define VX_TRACE_IS_ASIDE false
#endif

/*
 * @param aside  the call only looks for the reason of a failure
 * @param args   the arguments, an integer of 64 bits each, and room for what it returns; they must live until the end
 */
void vx_trace_begin(struct vx_trace *trace, uint16_t traced, bool aside, uint64_t *args);

/* @param result  what the call returned; 0 of a void one */
void vx_trace_end(struct vx_trace *trace, int64_t result);

/* ---- the data path ---- */

#define VX_TRACE_ALL UINT32_MAX

/* How many calls of each object are to be shown. */
uint32_t vx_trace_data_most(void);

/*
 * vx_trace_begin() of a call of the data path.
 *
 * @param mask   beside its requests: what they may be posted to; VX_MASK_ALL where that tells nothing
 * @param most   of the entries of a request, how many the call looks at; VX_TRACE_ALL
 * @param shown  it may have a line; it is counted in any case
 * @param is_list  it is one of requests, each part of which is added; moved to where it ends, once the clock is to begin
 */
void vx_trace_begin_data(struct vx_trace *trace, uint16_t traced, uint64_t mask, uint32_t most, uint64_t *args, bool shown, bool is_list);
void vx_trace_put_step(struct vx_trace *trace, uint16_t traced, uint64_t *args);
void vx_trace_move(struct vx_trace *to, struct vx_trace *from);

/* ---- where lines go (trace_sink.c) ---- */

extern _Atomic(uint64_t) vx_trace_counts[];

/* What is wanted of the call at hand; the environment is read when nobody has done so yet. */
unsigned int vx_trace_sinks(void);

/* Hand a line on; there is room for a newline behind it. */
void vx_trace_deliver(struct vx_trace_call *call, char *line, size_t len);

#endif
