/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Limits and faults: what the tables tell of a request. */

#include <stdarg.h>
#include <stdio.h>

#include "reason.h"

void vx_reason_start(struct vx_reason *reason, char *buf, size_t len)
{
	vx_out_buffer(&reason->out, buf, len);
}

bool vx_reason_finish(struct vx_reason *reason)
{
	return vx_out_finish(&reason->out) != 0;
}

struct vx_out *vx_reason_part(struct vx_reason *reason)
{
	if (vx_reason_is_found(reason))
		vx_put_literal(&reason->out, "; ");
	return &reason->out;
}

void vx_reason_add(struct vx_reason *reason, const char *format, ...)
{
	char part[VX_LONGEST_REASON];
	va_list args;

	va_start(args, format);
	vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	vx_put_string(vx_reason_part(reason), part);
}

static bool is_about(const struct vx_request *request, uint16_t owner)
{
	return request->type.desc == &vx_structs[owner];
}

static struct vx_view view_of(const struct vx_request *request)
{
	return vx_view_of(request->type, request->attr);
}

uint8_t vx_request_port(const struct vx_request *request)
{
	static const char names[][9] = { "port_num", "port" };
	struct vx_place place;
	struct vx_view view;
	size_t i;

	for (i = 0; request->type.desc && i < sizeof(names) / sizeof(names[0]); i++) {
		view = view_of(request);
		if (vx_place_find(&view, names[i], request->mask, &place))
			return (uint8_t)vx_place_value(&place);
	}
	return 1;
}

/* ---- limits ---- */

static void put_assignment(struct vx_out *out, vx_name name, const struct vx_place *place)
{
	vx_put_string(out, vx_limit_texts + name);
	vx_put_literal(out, " = ");
	vx_put_place(out, place);
}

static void put_number(struct vx_out *out, uint32_t number)
{
	if (number > UINT16_MAX)
		vx_put_hex(out, number);
	else
		vx_put_unsigned(out, number);
}

static void add_number(struct vx_reason *reason, const struct vx_limit *limit, const struct vx_place *place)
{
	struct vx_out *out = vx_reason_part(reason);

	put_assignment(out, limit->field, place);
	vx_put_literal(out, ", but the most is ");
	put_number(out, limit->number);
}

static void add_excess(struct vx_reason *reason, const struct vx_limit *limit, const struct vx_place *place,
		       const struct vx_place *most)
{
	static const char owners[VX_SOURCES][11] = {
		[VX_SOURCE_DEVICE] = "the device",
		[VX_SOURCE_DEVICE_EX] = "the device",
		[VX_SOURCE_PORT] = "the port",
		[VX_SOURCE_CONTEXT] = "the device",
	};
	struct vx_out *out = vx_reason_part(reason);

	put_assignment(out, limit->field, place);
	vx_put_literal(out, ", but ");
	vx_put_string(out, owners[limit->source]);
	vx_put_string(out, limit->is_index ? " has " : " allows ");
	put_assignment(out, limit->limit, most);
}

/* Of an enum, and none of it: there is nothing to compare. */
static bool is_none_of_its_enum(const struct vx_place *place)
{
	const struct vx_enum_info *e = vx_reason_enum(place->field);

	return e && !vx_enum_name(e, (int64_t)vx_place_value(place));
}

/* What a field asks for, which may be written as 2^n. */
static uint64_t amount_of(const struct vx_place *place)
{
	uint64_t value = vx_place_value(place);

	if (place->field->form != VX_FORM_LOG2)
		return value;
	return value < 64 ? UINT64_C(1) << value : UINT64_MAX;
}

static void check_limit(struct vx_reason *reason, const struct vx_request *request, const struct vx_limit *limit,
			const struct vx_bounds *bounds)
{
	struct vx_view view = view_of(request);
	struct vx_place place, most;
	uint64_t value;

	if (!vx_place_find(&view, vx_limit_texts + limit->field, request->mask, &place) || is_none_of_its_enum(&place))
		return;
	value = amount_of(&place);
	if (limit->source == VX_SOURCE_NUMBER) {
		if (value > limit->number)
			add_number(reason, limit, &place);
		return;
	}
	if (!vx_bounds_find(bounds, limit->source, vx_limit_texts + limit->limit, &most))
		return;
	if (value > vx_place_value(&most) || (limit->is_index && value == vx_place_value(&most)))
		add_excess(reason, limit, &place, &most);
}

/* ---- faults ---- */

static bool has_code(const struct vx_fault *fault, int code)
{
	size_t i;

	for (i = 0; i < sizeof(fault->codes) && fault->codes[i]; i++)
		if (fault->codes[i] == -code)
			return true;
	return !fault->codes[0];
}

static bool rules_hold(const struct vx_fault *fault, const struct vx_request *request, const struct vx_bounds *bounds)
{
	struct vx_view view = view_of(request);
	unsigned int source;

	if (!vx_rule_holds(&view, fault->rules[VX_SOURCE_NUMBER], request->mask))
		return false;
	for (source = VX_SOURCE_NUMBER + 1; source < VX_SOURCES; source++) {
		if (!fault->rules[source])
			continue;
		if (!vx_bounds_view(bounds, source, &view) ||
		    !vx_rule_holds(&view, fault->rules[source], VX_MASK_ALL))
			return false;
	}
	return true;
}

void vx_reason_to_refuse(struct vx_reason *reason, const struct vx_request *request)
{
	const struct vx_bounds nothing = { 0 };
	size_t i;

	for (i = 0; i < vx_refusal_count; i++)
		if (is_about(request, vx_refusals[i].owner) && rules_hold(&vx_refusals[i], request, &nothing))
			vx_reason_add(reason, "%s", vx_limit_texts + vx_refusals[i].text);
}

void vx_reason_of_request(struct vx_reason *reason, const struct vx_request *request, const struct vx_bounds *bounds)
{
	size_t i;

	for (i = 0; i < vx_limit_count; i++)
		if (is_about(request, vx_limits[i].owner))
			check_limit(reason, request, &vx_limits[i], bounds);
	for (i = 0; i < vx_fault_count; i++)
		if (is_about(request, vx_faults[i].owner) && has_code(&vx_faults[i], request->code) &&
		    rules_hold(&vx_faults[i], request, bounds))
			vx_reason_add(reason, "%s", vx_limit_texts + vx_faults[i].text);
}
