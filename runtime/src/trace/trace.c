/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Calls of rdma-core while they are made: counted, timed, and told in a line of text, with objects by name: that of their handle or, of
 * what has none, what rdma-core knows of them.
 */

#define _GNU_SOURCE /* clock_gettime(2), syscall(2) */

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "error/fail.h"
#include "know/tables.h"
#include "text/form.h"
#include "trace.h"

#if VERBSX_TRACING

#define TAIL 512 /* bytes that the result and the time may take */

/* ---- objects ---- */

#pragma weak vx_put_name_of
#pragma weak vx_put_mailbox

static bool put_handle_name(struct vx_out *out, const void *raw, const char *kind)
{
	return vx_put_name_of && vx_put_name_of(out, raw, kind);
}

static void put_device_name(struct vx_out *out, const struct ibv_device *device)
{
	vx_put_plain(out, device->name, strlen(device->name));
}

static void put_context_name(struct vx_out *out, const struct ibv_context *context)
{
	if (context && put_handle_name(out, context, "context"))
		return;
	if (context && context->device)
		put_device_name(out, context->device);
	else
		vx_put_char(out, '?');
}

static void put_object(struct vx_out *out, const struct vx_handle *handle, const unsigned char *raw)
{
	const struct vx_field *context = vx_handle_field(handle, handle->context);
	const struct vx_field *number = vx_handle_field(handle, handle->number);

	if (put_handle_name(out, raw, vx_struct_text(handle->kind)))
		return;
	if (context) {
		put_context_name(out, vx_read_pointer(raw + context->offset));
		vx_put_char(out, ' ');
	}
	vx_put_string(out, vx_struct_text(handle->kind));
	vx_put_char(out, ' ');
	if (number)
		vx_put_signed(out, (int64_t)vx_read_field(number, raw + number->offset));
	else
		vx_put_hex(out, (uintptr_t)raw);
}

static void put_raw_object(struct vx_out *out, uint16_t handle, const void *raw)
{
	if (!raw)
		vx_put_literal(out, "NULL");
	else if (handle < vx_raw_handle_count)
		put_object(out, &vx_raw_handles[handle], raw);
	else if (handle == vx_raw_handle_count)
		put_context_name(out, raw);
	else
		put_device_name(out, raw);
}

/* What a structure of the program points to may be anything, where the call does not look: only what has a handle is known to be there. */
static void put_given_object(struct vx_out *out, uint16_t handle, const void *raw)
{
	put_handle_name(out, raw, handle < vx_raw_handle_count ? vx_struct_text(vx_raw_handles[handle].kind) : "context");
}

/* ---- arguments and results ---- */

static const struct vx_signature *traced_of(const struct vx_trace *trace)
{
	return &vx_signatures[trace->traced];
}

static const char *traced_name(const struct vx_trace *trace)
{
	return vx_call_names + vx_calls[traced_of(trace)->call].name;
}

static struct vx_printer line_printer(struct vx_trace *trace)
{
	const struct vx_signature *traced = traced_of(trace);

	return (struct vx_printer){
		.out = &trace->out,
		.mask = vx_mask_of_args(traced, trace->args) & trace->mask,
		.style = VX_COMPACT,
		.put_raw = put_raw_object,
		.first = true,
		.most = &trace->most,
		.tail = traced->tail ? &vx_tails[traced->tail - 1] : NULL,
	};
}

/* From the arguments to what it returns. */
static struct vx_view view_of(const struct vx_trace *trace)
{
	struct vx_view view = vx_view_of_args(traced_of(trace), trace->args);

	view.size += sizeof(trace->args[0]);
	return view;
}

static const char *argument_name(const struct vx_view *view, unsigned int i)
{
	return vx_struct_text(vx_field_of(view->s, i)->name);
}

#define STATUS 8u /* bytes that an answer begins with, also where the command failed */

/* Whether rdma-core has filled in what is there, or follows it itself, as it may not with a request. */
static bool is_sound(const struct vx_trace *trace, const struct vx_view *view, unsigned int i)
{
	return traced_of(trace)->filled >> i & 1 || (vx_field_of(view->s, i)->kind == VX_KIND_POINTER && !trace->is_data);
}

/* A command of DEVX: in, inlen, out, outlen. */
static bool put_mailbox(struct vx_out *out, const struct vx_view *view, const uint64_t *args, unsigned int i, bool readable)
{
	const char *name = argument_name(view, i);
	const bool is_answer = !strcmp(name, "out");
	const uint64_t *in = args + i - (is_answer ? 2 : 0), len = args[i + 1];

	if (!vx_put_mailbox || strcmp(name, is_answer ? "out" : "in") || strcmp(argument_name(view, i + 1), is_answer ? "outlen" : "inlen") || !args[i])
		return false;
	vx_put_string(out, name);
	vx_put_literal(out, "={");
	vx_put_mailbox(out, (const void *)(uintptr_t)in[0], (size_t)in[1], is_answer ? (const void *)(uintptr_t)args[i] : NULL,
		       readable || len < STATUS ? (size_t)len : STATUS);
	vx_put_char(out, '}');
	return true;
}

static void put_args(struct vx_trace *trace, unsigned int from, unsigned int to, bool readable)
{
	const struct vx_view view = view_of(trace);
	unsigned int i;

	for (i = from; i < to; i++) {
		struct vx_printer p = line_printer(trace);

		if (i)
			vx_comma(&p);
		p.put_raw = is_sound(trace, &view, i) ? put_raw_object : put_given_object;
		p.follow = readable || !(traced_of(trace)->filled >> i & 1);
		if (!put_mailbox(&trace->out, &view, trace->args, i, readable))
			vx_put_field(&p, &view, vx_field_of(view.s, i));
	}
}

/* What a thread but the first does bears its number. */
static void put_thread(struct vx_out *out)
{
	long thread = syscall(SYS_gettid);

	if (thread == getpid())
		return;
	vx_put_format(out, "[%ld] ", thread);
}

/* A line up to the parameters that are read after the call. That of a list of requests is "ibv_wr(qp)", behind which its steps stand. */
static void open_line(struct vx_trace *trace)
{
	trace->out = vx_out_in(trace->line, sizeof(trace->line) - TAIL);
	put_thread(&trace->out);
	if (trace->aside)
		vx_put_literal(&trace->out, "  ");
	vx_put_string(&trace->out, trace->is_list ? "ibv_wr" : traced_name(trace));
	vx_put_char(&trace->out, '(');
	put_args(trace, 0, traced_of(trace)->head, true);
	if (trace->is_list)
		vx_put_char(&trace->out, ')');
}

/* " set_sge(lkey=7, ...)", of ibv_wr_set_sge(). */
void vx_trace_put_step(struct vx_trace *trace, uint16_t traced, uint64_t *args)
{
	const uint16_t list = trace->traced;
	uint64_t *list_args = trace->args;

	trace->traced = traced;
	trace->args = args;
	vx_put_char(&trace->out, ' ');
	vx_put_string(&trace->out, strstr(traced_name(trace), "_wr_") + strlen("_wr_"));
	vx_put_char(&trace->out, '(');
	put_args(trace, 0, vx_struct_of_call(traced_of(trace))->fields - 1u, true);
	vx_put_char(&trace->out, ')');
	trace->traced = list;
	trace->args = list_args;
}

/* ---- the end ---- */

/* By the convention of the call: 0, or a negative errno. */
static int code_of_result(const struct vx_signature *traced, int64_t result, int error)
{
	errno = error;
	switch ((enum vx_call_error)vx_calls[traced->call].error) {
	case VX_CALL_ERROR_NULL:
		return result ? 0 : vx_code_in_errno();
	case VX_CALL_ERROR_MINUS_ONE:
	case VX_CALL_ERROR_OWN:
	case VX_CALL_ERROR_COUNT:
		return result < 0 ? vx_code_in_errno() : 0;
	case VX_CALL_ERROR_ERRNO:
		return vx_code_returned((int)result);
	case VX_CALL_ERROR_NEGATIVE:
		return result < 0 ? (int)result : 0;
	default:
		return 0;
	}
}

static void put_result(struct vx_trace *trace)
{
	const struct vx_view view = view_of(trace);
	const struct vx_field *result = vx_field_of(view.s, view.s->fields - 1u);
	struct vx_printer p = line_printer(trace);

	if (result->kind == VX_KIND_ABSENT)
		vx_put_literal(&trace->out, "void");
	else
		vx_put_field_value(&p, result, vx_view_at(&view, result->offset, result->size), 1);
}

static void put_failure(struct vx_out *out, int code)
{
	const char *word = vx_errno_word(-code);
	char message[128] = "";

	vx_put_char(out, ' ');
	if (!vx_put_if_any(out, word))
		vx_put_signed(out, -code);
	vx_put_literal(out, " (");
	vx_put_string(out, vx_code_text(code, message, sizeof(message)));
	vx_put_char(out, ')');
}

/* From here on the room that was kept for the end counts as well. */
static void leave_rest_out(struct vx_trace *trace)
{
	struct vx_out *out = &trace->out;
	bool cut = out->past;

	out->past = 0;
	out->end = trace->line + sizeof(trace->line) - 2; /* a newline, and the NUL */
	if (cut)
		vx_put_literal(out, "...");
}

/* The rest of it, without its end. Returns 0 or, where the call failed, a negative errno. @param error  errno after the call */
static int close_line(struct vx_trace *trace, int64_t result, int error, uint64_t ns)
{
	const struct vx_signature *traced = traced_of(trace);
	const unsigned int params = vx_struct_of_call(traced)->fields - 1u;
	int code = code_of_result(traced, result, error);

	trace->args[params] = (uint64_t)result;
	put_args(trace, traced->head, params, code == 0);
	leave_rest_out(trace);
	vx_put_string(&trace->out, trace->is_list ? " = " : ") = ");
	put_result(trace);
	if (code < 0)
		put_failure(&trace->out, code);
	vx_put_format(&trace->out, trace->is_data ? " <%llu.%09llu>" : " <%llu.%06llu>", (unsigned long long)ns / 1000000000,
		      (unsigned long long)(trace->is_data ? ns % 1000000000 : ns / 1000 % 1000000));
	if (trace->more)
		trace->more(&trace->out, trace->of);
	vx_out_finish(&trace->out);
	return code;
}

/* ---- calls ---- */

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
		open_line(trace);
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
		.call = traced_name(trace),
		.line = trace->line,
		.result = result,
		.aside = trace->aside,
		.start = trace->start,
		.duration = ns_of(CLOCK_MONOTONIC) - trace->begun,
	};
	told.call.code = close_line(trace, result, saved, told.call.duration);
	vx_trace_deliver(&told.call, trace->line, vx_out_length(&trace->out));
	errno = saved;
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
