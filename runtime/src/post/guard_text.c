/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is said of requests that a guard does not let pass. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/enum.h>
#include <verbsx/enums.h>

#include "error/fail.h"
#include "guard.h"
#include "text/out.h"

/* The first thing that is wrong is what is told. */
static bool latch(struct vx_guard_qp *guard, int code, size_t len, const char *format, va_list args)
{
	vsnprintf(guard->why + len, sizeof(guard->why) - len, format, args);
	guard->code = code;
	guard->open = 0;
	guard->lacks = 0;
	return false;
}

bool vx_guard_refuses(struct vx_guard_qp *guard, int code, const char *format, ...)
{
	va_list args;

	if (guard->code)
		return false;
	va_start(args, format);
	latch(guard, code, 0, format, args);
	va_end(args);
	return false;
}

/* As the next has been told of it: the program may have gone on to another. */
static size_t put_request(struct vx_guard_qp *guard)
{
	return (size_t)snprintf(guard->why, VX_LONGEST_REQUEST, "request %u (%s, wr_id = 0x%llx) ", guard->index, guard->step->name,
				(unsigned long long)vx_guard_next(guard)->wr_id);
}

bool vx_guard_wrong(struct vx_guard_qp *guard, int code, const char *format, ...)
{
	va_list args;

	if (guard->code)
		return false;
	va_start(args, format);
	latch(guard, code, put_request(guard), format, args);
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

void vx_guard_put_full(char *buf, size_t len, const struct vx_guard_qp *guard)
{
	const uint32_t freed = guard->limit - guard->cap.max_send_wr;

	struct vx_out out;

	vx_out_buffer(&out, buf, len);
	vx_put_literal(&out, "the send queue is full (max_send_wr = ");
	vx_put_unsigned(&out, guard->cap.max_send_wr);
	vx_put_literal(&out, "): ");
	vx_put_unsigned(&out, guard->posted - freed);
	vx_put_literal(&out, " requests are posted, and vx_ functions have polled no completion of one of them. Those that rdma-core polls are not "
			     "counted; without IBV_SEND_SIGNALED there are none");
	vx_out_finish(&out);
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
		vx_guard_put_full(why, sizeof(why), guard);
	else if (!suits)
		snprintf(why, sizeof(why), "it is nothing that a QP of type %s can do", type ? type : "that");
	else
		snprintf(why, sizeof(why), "the QP was made without %s in its send_ops_flags", op_name(step));
	return refuse_next(guard, step, guard->ops & step->op ? -EAGAIN : suits ? -EOPNOTSUPP : -EINVAL, why);
}

/* A builder that is given something wrong; what is wrong with the request before it comes first. */
static bool refuse_builder(struct vx_guard_qp *guard, const struct vx_guard_step *step, const char *why)
{
	if (!vx_guard_is_mine(guard))
		return vx_guard_outside(guard, step->name);
	return guard->lacks ? vx_guard_lacking(guard) : refuse_next(guard, step, -EINVAL, why);
}

bool vx_guard_null(struct vx_guard_qp *guard, const struct vx_guard_step *step, const char *what)
{
	char why[VX_LONGEST_REFUSAL];

	snprintf(why, sizeof(why), "%s is NULL", what);
	if (step->slots)
		return refuse_builder(guard, step, why);
	if (!vx_guard_is_mine(guard))
		return vx_guard_outside(guard, step->name);
	return vx_guard_wrong(guard, -EINVAL, "has %s(), of which %s", step->name, why);
}

bool vx_guard_unaligned(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint64_t addr)
{
	char why[VX_LONGEST_REFUSAL];

	snprintf(why, sizeof(why), "remote_addr = 0x%llx is no multiple of 8, as that of an atomic operation is", (unsigned long long)addr);
	return refuse_builder(guard, step, why);
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
