/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Calls of rdma-core while they are made: counted, timed, and handed to where lines go. */

#define _POSIX_C_SOURCE 200809L /* clock_gettime(2) */

#include <errno.h>
#include <time.h>

#include "error/fail.h"
#include "trace.h"

#if VERBSX_TRACING

static uint64_t ns_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool counts_only(uint16_t traced, bool shown)
{
	unsigned int wanted = vx_trace_sinks();

	if (wanted & VX_TRACE_COUNTING)
		atomic_fetch_add_explicit(&vx_trace_counts[traced], 1, memory_order_relaxed);
	return !shown || !(wanted & VX_TRACE_LINES);
}

static void start_clock(struct vx_trace *trace)
{
	trace->start = ns_of(CLOCK_REALTIME);
	trace->begun = ns_of(CLOCK_MONOTONIC);
}

/* The clock is read last here and first in the end, so that neither counts. */
static void begin_call(struct vx_trace *trace, uint16_t traced, uint64_t *args, bool shown)
{
	int saved = errno;

	trace->lines = !counts_only(traced, shown);
	if (trace->lines) {
		trace->args = args;
		trace->traced = traced;
		trace->more = NULL;
		vx_trace_open_line(trace);
		start_clock(trace);
	}
	errno = saved;
}

void vx_trace_begin(struct vx_trace *trace, uint16_t traced, bool aside, uint64_t *args)
{
	trace->aside = aside;
	trace->is_data = trace->is_list = false;
	trace->mask = VX_MASK_ALL;
	trace->most = VX_TRACE_ALL;
	begin_call(trace, traced, args, true);
}

void vx_trace_begin_data(struct vx_trace *trace, uint16_t traced, uint64_t mask, uint32_t most, uint64_t *args, bool shown, bool is_list)
{
	trace->aside = false;
	trace->is_data = true;
	trace->is_list = is_list;
	trace->mask = mask;
	trace->most = most;
	begin_call(trace, traced, args, shown);
}

void vx_trace_move(struct vx_trace *to, struct vx_trace *from)
{
	to->lines = from->lines;
	if (!from->lines)
		return;
	*to = *from;
	from->lines = false;
	to->out.start = to->line;
	to->out.pos = to->line + (from->out.pos - from->line);
	to->out.end = to->line + (from->out.end - from->line);
	start_clock(to);
}

void vx_trace_end(struct vx_trace *trace, int64_t result)
{
	int saved = errno;
	struct {
		struct vx_trace_call call;
		char later[VX_ROOM_TO_GROW];
	} told;

	if (!trace->lines)
		return;
	memset(&told, 0, sizeof(told));
	told.call = (struct vx_trace_call){
		.call = vx_traced_name(trace),
		.line = trace->line,
		.result = result,
		.aside = trace->aside,
		.start = trace->start,
		.duration = ns_of(CLOCK_MONOTONIC) - trace->begun,
	};
	told.call.code = vx_trace_close_line(trace, result, saved, told.call.duration);
	vx_trace_deliver(&told.call, trace->line, vx_out_length(&trace->out));
	errno = saved;
}

int vx_trace_count(const char *call, uint64_t *count)
{
	size_t index = vx_call_index(call);
	bool known = !call;
	uint64_t sum = 0;
	uint16_t i;

	if (!count)
		return vx_null_fail("vx_trace_count", "count");
	for (i = 0; i < vx_signature_count; i++) {
		if (call && vx_signatures[i].call != index)
			continue;
		sum += atomic_load_explicit(&vx_trace_counts[i], memory_order_relaxed);
		known = true;
	}
	if (!known)
		return vx_fail(-ENOENT, "vx_trace_count", NULL, "%s is no call that libverbsx makes", call);
	*count = sum;
	return 0;
}

#else

#define UNUSED __attribute__((unused))
#define WITHOUT_TRACING(name, ...) \
	int name(__VA_ARGS__) \
	{ \
		return vx_fail(-EOPNOTSUPP, #name, NULL, "this libverbsx was built without tracing"); \
	}

WITHOUT_TRACING(vx_trace_file, UNUSED const char *path)
WITHOUT_TRACING(vx_trace_callback, UNUSED vx_trace_function function, UNUSED void *data)
WITHOUT_TRACING(vx_trace_counting, UNUSED bool on)
WITHOUT_TRACING(vx_trace_data, UNUSED unsigned int most)
WITHOUT_TRACING(vx_trace_count, UNUSED const char *call, UNUSED uint64_t *count)

#endif
