/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is said of requests that a guard does not let pass. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/enum.h>
#include <verbsx/enums.h>
#include <verbsx/version.h>

#include "error/fail.h"
#include "guard.h"
#include "reach/reach.h"
#include "text/out.h"

/* As the next has been told of it: the program may have gone on to another. */
static size_t put_request(struct vx_guard_qp *guard)
{
	return (size_t)snprintf(guard->why, VX_LONGEST_REQUEST, "request %u (%s, wr_id = 0x%llx) ", guard->index, guard->step->name,
				(unsigned long long)vx_guard_next(guard)->wr_id);
}

/* The first thing that is wrong is what is told. */
static bool latch(struct vx_guard_qp *guard, int code, bool of_request, const char *format, va_list args)
{
	const size_t len = of_request && !guard->code ? put_request(guard) : 0;

	if (guard->code)
		return false;
	vsnprintf(guard->why + len, sizeof(guard->why) - len, format, args);
	guard->code = code;
	guard->open = 0;
	guard->lacks = 0;
	return false;
}

bool vx_guard_refuses(struct vx_guard_qp *guard, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	latch(guard, code, false, format, args);
	va_end(args);
	return false;
}

bool vx_guard_wrong(struct vx_guard_qp *guard, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	latch(guard, code, true, format, args);
	va_end(args);
	return false;
}

/* The lock is somebody else's: the next vx_wr_complete() tells of it. */
bool vx_guard_outside(struct vx_guard_qp *guard, const char *name)
{
	const char *none = NULL;

	__atomic_compare_exchange_n(&guard->outside, &none, name, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return false;
}

/* A type that has a setter of the address of its own. */
static const char *address_setter(const struct vx_guard_qp *guard)
{
	switch (guard->raw->qp_type) {
	case IBV_QPT_UD:
		return "vx_wr_set_ud_addr()";
	case IBV_QPT_XRC_SEND:
		return "vx_wr_set_xrc_srqn()";
	default:
		return "vx_mlx5_wr_set_dc_addr()";
	}
}

bool vx_guard_lacking(struct vx_guard_qp *guard)
{
	if (guard->lacks & VX_LACKS_SETTERS)
		return vx_guard_wrong(guard, -EINVAL, "lacks %u of its setters", guard->setters);
	if (guard->lacks & VX_LACKS_DATA)
		return vx_guard_wrong(guard, -EINVAL, "has no data: vx_wr_set_sge() or another must follow");
	return vx_guard_wrong(guard, -EINVAL, "has no address: %s must follow", address_setter(guard));
}

/* ---- builders ---- */

static const char *op_name(const struct vx_guard_step *step)
{
	const bool of_mlx5 = step->op >> 32;
	const char *name = vx_enum_name(vx_enum_find(of_mlx5 ? "mlx5dv_qp_create_send_ops_flags" : "ibv_qp_create_send_ops_flags"),
					(int64_t)(of_mlx5 ? step->op >> 32 : step->op));

	return name ? name : "its bit";
}

int vx_guard_put_full(char *buf, size_t len, const struct vx_guard_qp *guard, uint32_t posted, uint32_t slots)
{
	const uint32_t freed = guard->limit - guard->cap.max_send_wr;
	struct vx_out out = vx_out_in(buf, len);

	if (!guard->cap.max_send_wr) {
		vx_put_literal(&out, "the send queue was made for no requests (max_send_wr = 0)");
		vx_out_finish(&out);
		return -EINVAL;
	}
	vx_put_literal(&out, "the send queue is full (max_send_wr = ");
	vx_put_unsigned(&out, guard->cap.max_send_wr);
	vx_put_literal(&out, "): ");
	vx_put_unsigned(&out, posted - freed);
	vx_put_literal(&out, " requests are posted, ");
	if (slots > 1)
		vx_put_format(&out, "the list takes %u more, ", slots);
	vx_put_literal(&out, "and vx_ functions have polled no completion of one of them. Those that rdma-core polls are not "
			     "counted; without IBV_SEND_SIGNALED there are none");
	vx_out_finish(&out);
	return -EAGAIN;
}

/* For a builder. Polling never makes room for a list that is longer than the queue. */
static int no_room(const struct vx_guard_qp *guard, const struct vx_guard_step *step, char *why, size_t len)
{
	const uint32_t slots = guard->posted - guard->before_posted + step->slots, most = guard->cap.max_send_wr;

	if (slots > most)
		snprintf(why, len, "a list of more than max_send_wr = %u requests never fits, and with this it takes %u", most, slots);
	else
		vx_guard_put_full(why, len, guard, guard->before_posted, slots);
	return slots > most ? -EINVAL : -EAGAIN;
}

/* A builder that would have begun the next request. */
static bool refuse_next(struct vx_guard_qp *guard, const struct vx_guard_step *step, int code, const char *why)
{
	return vx_guard_refuses(guard, code, "request %u (%s, wr_id = 0x%llx): %s", guard->index + 1, step->name,
				(unsigned long long)guard->qp.wr_id, why);
}

bool vx_guard_no_builder(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	const char *type = vx_ibv_qp_type_name(guard->raw->qp_type);
	char why[VX_LONGEST_REFUSAL];
	bool suits = step->types & VX_WR_TYPE(guard->raw->qp_type);

	if (guard->ops & step->op)
		return refuse_next(guard, step, no_room(guard, step, why, sizeof(why)), why);
	if (!suits)
		snprintf(why, sizeof(why), "it is nothing that a QP of type %s can do", type ? type : "that");
	else
		snprintf(why, sizeof(why), "the QP was made without %s in its send_ops_flags", op_name(step));
	return refuse_next(guard, step, suits ? -EOPNOTSUPP : -EINVAL, why);
}

bool vx_guard_flags(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	char why[VX_LONGEST_REFUSAL];

	vx_flags_wrong(why, "wr_flags", guard->qp.wr_flags, false, guard->raw->qp_type);
	return refuse_next(guard, step, -EINVAL, why);
}

/* A builder that is given something wrong; what is wrong with the request before it comes first. */
static bool refuse_builder(struct vx_guard_qp *guard, const struct vx_guard_step *step, const char *why)
{
	if (!vx_guard_is_mine(guard))
		return vx_guard_outside(guard, step->name);
	return guard->lacks ? vx_guard_lacking(guard) : refuse_next(guard, step, -EINVAL, why);
}

bool vx_guard_given_wrong(struct vx_guard_qp *guard, const struct vx_guard_step *step, const char *why)
{
	if (step->slots)
		return refuse_builder(guard, step, why);
	if (!vx_guard_is_mine(guard))
		return vx_guard_outside(guard, step->name);
	return vx_guard_wrong(guard, -EINVAL, "has %s(), of which %s", step->name, why);
}

bool vx_guard_null(struct vx_guard_qp *guard, const struct vx_guard_step *step, const char *what)
{
	char why[VX_LONGEST_REFUSAL];

	snprintf(why, sizeof(why), "%s is NULL", what);
	return vx_guard_given_wrong(guard, step, why);
}

bool vx_guard_unaligned(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint64_t addr)
{
	char why[VX_LONGEST_REFUSAL];

	snprintf(why, sizeof(why), "remote_addr = 0x%llx is no multiple of 8, as that of an atomic operation is", (unsigned long long)addr);
	return refuse_builder(guard, step, why);
}

void vx_guard_put_long(char *buf, const struct vx_guard_qp *guard, const char *what, uint64_t length)
{
	const bool is_packet = guard->raw->qp_type == IBV_QPT_UD;

	snprintf(buf, VX_LONGEST_REFUSAL, "%shas %llu bytes, and %s %u", what, (unsigned long long)length,
		 is_packet ? "what a UD QP sends must fit into the port's MTU," : "the port's max_msg_sz is", guard->most);
}

bool vx_guard_too_long(struct vx_guard_qp *guard, uint64_t length)
{
	char why[VX_LONGEST_REFUSAL];

	vx_guard_put_long(why, guard, "", length);
	return vx_guard_wrong(guard, -EINVAL, "%s", why);
}

/* ---- lists of entries ---- */

static uint64_t sum_of_fields(const struct vx_guard_entries *entries, const void *entry)
{
	uint64_t sum = 0;
	uint32_t value;
	int i;

	for (i = 0; i < entries->fields; i++) {
		memcpy(&value, (const char *)entry + entries->field[i].offset, sizeof(value));
		sum += value;
	}
	return sum;
}

/* "data[1].bytes_count + data[1].bytes_skip is ", "all of sge[].length are " */
static void put_sum(struct vx_out *out, const struct vx_guard_entries *entries, size_t at)
{
	int i;

	vx_put_string(out, entries->in_all ? "all of " : "");
	for (i = 0; i < entries->fields; i++) {
		vx_put_string(out, i ? " + " : "");
		vx_put_string(out, entries->list);
		vx_put_char(out, '[');
		if (!entries->in_all)
			vx_put_unsigned(out, at);
		vx_put_string(out, "].");
		vx_put_string(out, entries->field[i].name);
	}
	vx_put_string(out, entries->in_all ? " are " : " is ");
}

static bool refuse_sum(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct vx_guard_entries *entries, size_t at, uint64_t sum)
{
	char why[VX_LONGEST_REFUSAL];
	struct vx_out out = vx_out_in(why, sizeof(why));

	put_sum(&out, entries, at);
	vx_put_format(&out, "%llu, which goes into %u bits", (unsigned long long)sum, entries->bits);
	if (entries->before)
		vx_put_format(&out, " before release %u", entries->before);
	vx_put_format(&out, ": at most %llu", (1ull << entries->bits) - 1);
	vx_out_finish(&out);
	return vx_guard_given_wrong(guard, step, why);
}

/* Where nobody knows which release runs, it is that of the headers. */
static bool has_more_room(const struct vx_guard_entries *entries)
{
	const unsigned int running = vx_release_running();

	return entries->before && (running ? running : vx_release_built()) >= entries->before;
}

bool vx_guard_fit(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct vx_guard_entries *entries, size_t count, const void *list)
{
	uint64_t sum = 0;
	size_t i;

	if (count && !list)
		return vx_guard_null(guard, step, entries->list);
	for (i = 0; i < count; i++) {
		sum = sum_of_fields(entries, (const char *)list + i * entries->size) + (entries->in_all ? sum : 0);
		if (sum >> entries->bits && !entries->in_all)
			return refuse_sum(guard, step, entries, i, sum);
	}
	return !(sum >> entries->bits) || has_more_room(entries) || refuse_sum(guard, step, entries, 0, sum);
}

/* ---- setters ---- */

bool vx_guard_no_setter(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	const char *type = vx_ibv_qp_type_name(guard->raw->qp_type);

	if (!guard->index)
		return vx_guard_refuses(guard, -EINVAL, "%s() before the first request of the list", step->name);
	if (!(step->types & VX_WR_TYPE(guard->raw->qp_type)))
		return vx_guard_wrong(guard, -EINVAL, "takes no %s(), a QP of type %s has %s", step->name, type ? type : "that",
				      guard->address ? "another" : "its address");
	if (guard->step->lacks & step->lacks || (guard->address & step->lacks && guard->step->lacks & VX_LACKS_DATA))
		return vx_guard_wrong(guard, -EINVAL, "has that already which %s() would give it", step->name);
	return vx_guard_wrong(guard, -EINVAL, "takes no %s()", step->name);
}

/* They go on with what the list before ended with. */
bool vx_builders_overwrite(const struct ibv_qp *qp)
{
	return vx_function_is_of((uintptr_t)qp->context->ops.poll_cq, "libmlx5");
}
