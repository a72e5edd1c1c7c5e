/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A call as a line of text. */

#define _GNU_SOURCE /* syscall(2) */

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "know/calls.h"
#include "error/fail.h"
#include "text/form.h"
#include "text/printer.h"
#include "trace_tables.h"

#if VERBSX_TRACING

#define TAIL 512 /* bytes that the result and the time may take */
#define FLAT ((size_t)-1) /* one element, no array */

static struct vx_printer line_printer(struct vx_trace *trace, uint64_t mask)
{
	return (struct vx_printer){
		.out = &trace->out,
		.mask = mask,
		.style = VX_COMPACT,
		.follow = true,
		.put_raw = vx_put_raw,
		.first = true,
		.depth = 1,
	};
}

/* An argument that is another one's mask or count. */
static uint64_t other_arg(const struct vx_trace *trace, const struct vx_param *param)
{
	return trace->args[param->other - 1];
}

static size_t elements(const struct vx_trace *trace, const struct vx_param *param, int64_t result)
{
	uint64_t count = FLAT;

	if (param->flags & VX_PARAM_COUNTED)
		count = other_arg(trace, param);
	else if (param->flags & VX_PARAM_RESULT_COUNTS)
		count = (uint64_t)result;
	else
		return FLAT;
	return count < VX_MOST_FOLLOWED ? (size_t)count : VX_MOST_FOLLOWED;
}

/* ---- what stands right behind a structure, such as the specifications of a flow ---- */

/* How long the one at an address says it is; 0 where it does not even reach over that. */
static size_t size_in_tail(const struct vx_tail *tail, const unsigned char *at)
{
	size_t size = vx_read_unsigned(at + tail->size_at, tail->size_size);

	return size < (size_t)tail->size_at + tail->size_size ? 0 : size;
}

static void put_in_tail(struct vx_printer *p, const struct vx_tail *tail, const unsigned char *at, size_t size)
{
	struct vx_view view = { .s = &vx_structs[tail->desc], .bytes = at, .size = size, .sure = true };

	p->around[p->depth++] = (uintptr_t)at;
	vx_block_open(p);
	vx_walk(p, &view, NULL);
	vx_block_close(p);
	p->depth--;
}

static void put_tail(struct vx_printer *p, const struct vx_tail *tail, const struct vx_view *view)
{
	uint64_t count = vx_read_unsigned(view->bytes + tail->count_at, tail->count_size), i;
	const unsigned char *at = view->bytes + view->size;
	size_t size;

	vx_label_text(p, vx_struct_names + tail->name, 0);
	vx_put_char(p->out, '[');
	for (i = 0; i < count; i++, at += size) {
		if (i)
			vx_comma(p);
		size = size_in_tail(tail, at);
		if (!size) {
			vx_put_more(p);
			break;
		}
		put_in_tail(p, tail, at, size);
	}
	vx_put_char(p->out, ']');
	vx_label_end(p);
}

/* ---- arguments ---- */

static void put_target_struct(struct vx_trace *trace, const struct vx_param *param, const unsigned char *at)
{
	uint64_t mask = param->flags & VX_PARAM_MASKED ? other_arg(trace, param) : VX_MASK_ALL;
	struct vx_printer p = line_printer(trace, mask);
	struct vx_field whole = vx_field_of_param(param, VX_KIND_STRUCT, vx_structs[param->ref].size);
	struct vx_view view = { .s = &vx_structs[param->ref], .bytes = at, .size = vx_structs[param->ref].size, .sure = true };

	p.around[0] = (uintptr_t)at;
	if (vx_is_one_value(view.s)) {
		vx_put_field_value(&p, &whole, at, 1);
		return;
	}
	vx_block_open(&p);
	vx_walk(&p, &view, NULL);
	if (param->flags & VX_PARAM_TAIL)
		put_tail(&p, &vx_tails[param->other], &view);
	vx_block_close(&p);
}

static void put_target_element(struct vx_trace *trace, const struct vx_param *param, const struct vx_field *element,
			       const unsigned char *at)
{
	struct vx_printer p = line_printer(trace, VX_MASK_ALL);

	if (param->kind == VX_KIND_STRUCT_POINTER)
		put_target_struct(trace, param, at);
	else if (param->flags & VX_PARAM_HANDLE)
		vx_put_raw(&trace->out, param->ref, vx_read_pointer(at));
	else if (param->kind == VX_KIND_BYTES_POINTER)
		vx_put_blob(&p, (enum vx_form)param->form, at, param->ref, false);
	else
		vx_put_field_value(&p, element, at, 1);
}

static void put_target(struct vx_trace *trace, const struct vx_param *param, const unsigned char *at, size_t count)
{
	struct vx_field pointer = vx_field_of_param(param, param->kind, sizeof(void *));
	struct vx_field element = vx_field_behind(&pointer);
	size_t i;

	if (count == FLAT) {
		put_target_element(trace, param, &element, at);
		return;
	}
	vx_put_char(&trace->out, '[');
	for (i = 0; i < count; i++) {
		if (i)
			vx_put_literal(&trace->out, ", ");
		put_target_element(trace, param, &element, at + i * element.size);
	}
	vx_put_char(&trace->out, ']');
}

static bool is_followed(const struct vx_param *param)
{
	return param->kind == VX_KIND_UINT_POINTER || param->kind == VX_KIND_BYTES_POINTER ||
	       param->kind == VX_KIND_POINTER_POINTER || (param->kind == VX_KIND_STRUCT_POINTER && vx_structs[param->ref].size);
}

static void put_arg(struct vx_trace *trace, const struct vx_param *param, uint64_t arg, bool readable, int64_t result)
{
	const void *pointer = (const void *)(uintptr_t)arg;
	struct vx_printer p = line_printer(trace, VX_MASK_ALL);
	const unsigned char *at;
	struct vx_field number = vx_field_of_argument(param, &arg, &at);

	if (vx_is_plain(&number))
		vx_put_field_value(&p, &number, at, 1);
	else if (is_followed(param) && pointer && (readable || !(param->flags & VX_PARAM_OUT)))
		put_target(trace, param, pointer, elements(trace, param, result));
	else if (param->kind == VX_KIND_POINTER && param->flags & VX_PARAM_HANDLE)
		vx_put_raw(&trace->out, param->ref, pointer);
	else
		vx_put_pointer(&p, pointer);
}

static void put_args(struct vx_trace *trace, unsigned int from, unsigned int to, bool readable, int64_t result)
{
	const struct vx_param *params = &vx_params[vx_traced_of(trace)->param];
	unsigned int i;

	for (i = from; i < to; i++) {
		if (i)
			vx_put_literal(&trace->out, ", ");
		vx_put_string(&trace->out, vx_struct_names + params[i].name);
		vx_put_char(&trace->out, '=');
		put_arg(trace, &params[i], trace->args[i], readable, result);
	}
}

/* What a thread but the first does bears its number. */
static void put_thread(struct vx_out *out)
{
	long thread = syscall(SYS_gettid);

	if (thread == getpid())
		return;
	vx_put_char(out, '[');
	vx_put_signed(out, thread);
	vx_put_literal(out, "] ");
}

void vx_trace_open_line(struct vx_trace *trace)
{
	const struct vx_signature *traced = vx_traced_of(trace);

	vx_out_buffer(&trace->out, trace->line, sizeof(trace->line) - TAIL);
	put_thread(&trace->out);
	if (trace->aside)
		vx_put_literal(&trace->out, "  ");
	vx_put_string(&trace->out, vx_call_names + vx_calls[traced->call].name);
	vx_put_char(&trace->out, '(');
	put_args(trace, 0, traced->head, true, 0);
}

/* By the convention of the call: 0, or a negative errno. */
static int code_of_result(const struct vx_signature *traced, int64_t result, int error)
{
	errno = error;
	switch ((enum vx_call_error)vx_calls[traced->call].error) {
	case VX_CALL_ERROR_NULL:
		return result ? 0 : vx_code_in_errno();
	case VX_CALL_ERROR_MINUS_ONE:
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

static void put_result(struct vx_trace *trace, int64_t result)
{
	const struct vx_signature *traced = vx_traced_of(trace);
	const void *pointer = (const void *)(uintptr_t)result;
	struct vx_printer p = line_printer(trace, VX_MASK_ALL);

	switch ((enum vx_result)traced->result) {
	case VX_RESULT_NOTHING:
		vx_put_literal(&trace->out, "void");
		break;
	case VX_RESULT_NUMBER:
		vx_put_signed(&trace->out, result);
		break;
	case VX_RESULT_GUID:
		vx_put_blob(&p, VX_FORM_GUID, (const unsigned char *)&result, sizeof(result), false);
		break;
	case VX_RESULT_HANDLE:
		vx_put_raw(&trace->out, traced->handle, pointer);
		break;
	default:
		vx_put_pointer(&p, pointer);
	}
}

static void put_failure(struct vx_out *out, int code)
{
	const char *word = vx_errno_word(-code);
	char message[128] = "";

	vx_put_char(out, ' ');
	if (word)
		vx_put_string(out, word);
	else
		vx_put_signed(out, -code);
	vx_put_literal(out, " (");
	vx_put_string(out, vx_code_text(code, message, sizeof(message)));
	vx_put_char(out, ')');
}

static void put_time(struct vx_out *out, uint64_t ns)
{
	unsigned long long us = ns / 1000;
	char text[40];

	snprintf(text, sizeof(text), " <%llu.%06llu>", us / 1000000, us % 1000000);
	vx_put_string(out, text);
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

int vx_trace_close_line(struct vx_trace *trace, int64_t result, int error, uint64_t ns)
{
	const struct vx_signature *traced = vx_traced_of(trace);
	int code = code_of_result(traced, result, error);

	put_args(trace, traced->head, traced->params, code == 0, result);
	leave_rest_out(trace);
	vx_put_literal(&trace->out, ") = ");
	put_result(trace, result);
	if (code < 0)
		put_failure(&trace->out, code);
	put_time(&trace->out, ns);
	vx_out_finish(&trace->out);
	return code;
}

#endif
