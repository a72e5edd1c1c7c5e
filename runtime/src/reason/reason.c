/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Limits and faults: what the tables tell of a call and of the structures that it takes. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "know/tables.h"
#include "reach/reach.h"
#include "reason.h"

#define LONGEST_PATH 64

struct vx_out *vx_reason_part(struct vx_failure *failure)
{
	if (vx_reason_is_found(failure))
		vx_put_literal(&failure->out, "; ");
	return &failure->out;
}

void vx_reason_add(struct vx_failure *failure, const char *format, ...)
{
	char part[VX_LONGEST_REASON];
	va_list args;

	va_start(args, format);
	vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	vx_put_string(vx_reason_part(failure), part);
}

/* ---- what is allowed ---- */

/* The structure of a source, and a field of that by its path; false where it is not known. */
static bool source_view(struct vx_bounds *bounds, unsigned int source, struct vx_view *out)
{
	const struct vx_struct *s = vx_struct_row(vx_sources[source].desc);
	const void *known = vx_bounds_ask(bounds, source);

	if (known)
		*out = vx_view_of(vx_type_of(s, s->size), known);
	return known;
}

static bool find_in_source(struct vx_bounds *bounds, unsigned int source, const char *path, struct vx_place *out)
{
	struct vx_view view;

	return source_view(bounds, source, &view) && vx_place_find(&view, path, VX_MASK_ALL, out);
}

/* ---- limits ---- */

static void add_excess(struct vx_failure *failure, const struct vx_limit *limit, const struct vx_place *place,
		       const struct vx_place *most)
{
	const struct vx_source_row *source = &vx_sources[limit->source];
	struct vx_out *out = vx_reason_part(failure);

	vx_put_format(out, "%s = ", vx_limit_texts + (limit->source != VX_SOURCE_OWN && limit->number ? limit->number : limit->field));
	vx_put_place(out, place);
	if (limit->source == VX_SOURCE_OWN) {
		vx_put_format(out, limit->number > UINT16_MAX ? ", but the most is 0x%x" : ", but the most is %u", limit->number);
		return;
	}
	vx_put_format(out, ", but %s %s = ", vx_limit_texts + (limit->is_index ? source->has : source->allows),
		      vx_limit_texts + limit->limit);
	vx_put_place(out, most);
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

static void check_limit(struct vx_failure *failure, const struct vx_subject *subject, const struct vx_limit *limit)
{
	uint64_t value, bound = limit->number;
	struct vx_place most;
	struct vx_place place;

	if (!vx_subject_find(failure, subject, vx_limit_texts + limit->field, &place) || is_none_of_its_enum(&place))
		return;
	if (limit->source != VX_SOURCE_OWN) {
		if (!find_in_source(&failure->bounds, limit->source, vx_limit_texts + limit->limit, &most))
			return;
		bound = vx_place_value(&most);
	}
	value = amount_of(&place);
	if (value < bound || (value == bound && !limit->is_index))
		return;
	add_excess(failure, limit, &place, &most);
	/* Who asks for a port or an entry of its own asks sysfs: that there is no such file is the code of that. */
	if (failure->code == -ENOENT && subject->owner & VX_OF_CALL)
		failure->code = -EINVAL;
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

static bool find_anywhere(struct vx_failure *failure, const struct vx_subject *subject, const char *path, struct vx_place *out)
{
	unsigned int source;

	for (source = VX_SOURCE_EXTRA + 1; source < VX_SOURCES; source++) {
		const char *name = vx_struct_text(vx_struct_row(vx_sources[source].desc)->name);
		size_t length = strlen(name);

		if (!strncmp(path, name, length) && path[length] == '.')
			return find_in_source(&failure->bounds, source, path + length + 1, out);
	}
	return vx_subject_find(failure, subject, path, out);
}

/* "left right": how two fields compare, where both are known. */
static bool compares(struct vx_failure *failure, const struct vx_subject *subject, unsigned int how, const char *paths)
{
	const char *right = strchr(paths, ' ') + 1;
	char left[LONGEST_PATH];
	struct vx_place a, b;

	snprintf(left, sizeof(left), "%.*s", (int)(right - paths) - 1, paths);
	if (!find_anywhere(failure, subject, left, &a) || !find_anywhere(failure, subject, right, &b))
		return false;
	if (how == VX_SOURCE_EXTRA)
		return vx_place_value(&a) & ~vx_place_value(&b);
	if (how == VX_SOURCE_MORE)
		return vx_place_value(&a) > vx_place_value(&b);
	return (vx_place_value(&a) == vx_place_value(&b)) == (how == VX_SOURCE_SAME);
}

static bool test_holds(struct vx_failure *failure, const struct vx_subject *subject, const struct vx_test *test)
{
	struct vx_view view = subject->view;

	if (test->source == VX_SOURCE_PROVIDER)
		return vx_context_is_of(failure->bounds.context, vx_limit_texts + test->rule);
	if (test->source >= VX_SOURCE_SAME && test->source <= VX_SOURCE_EXTRA)
		return compares(failure, subject, test->source, vx_limit_texts + test->rule);
	if (test->source == VX_SOURCE_OWN)
		return vx_rule_holds(&view, test->rule, subject->mask);
	if (test->source >= VX_SOURCE_PARAM ? !vx_argument_view(failure, test->source - VX_SOURCE_PARAM, &view) :
					      !source_view(&failure->bounds, test->source, &view))
		return false;
	return vx_rule_holds(&view, test->rule, VX_MASK_ALL);
}

static bool tests_hold(struct vx_failure *failure, const struct vx_subject *subject, const struct vx_fault *fault)
{
	unsigned int i;

	for (i = 0; i < fault->tests; i++)
		if (!test_holds(failure, subject, &vx_tests[fault->test + i]))
			return false;
	return true;
}

/* A sentence, with values for the paths in braces. */
static void add_text(struct vx_failure *failure, const struct vx_subject *subject, const char *text)
{
	struct vx_out *out = vx_reason_part(failure);
	char path[LONGEST_PATH];
	struct vx_place place;
	bool is_known;

	while (*text) {
		size_t plain = strcspn(text, "{"), inside = strcspn(text + plain, "}");

		vx_put(out, text, plain);
		text += plain;
		if (!*text)
			return;
		snprintf(path, sizeof(path), "%.*s", (int)inside - 1, text + 1);
		is_known = find_anywhere(failure, subject, path, &place);
		if (is_known && place.field->form == VX_FORM_BYTES) /* the exact number, without what is easier to read */
			vx_put_unsigned(out, vx_place_value(&place));
		else if (is_known)
			vx_put_place(out, &place);
		text += inside + 1;
	}
}

/* What would be cut to the bits that a packet has for it is refused before; of all else the device has the last word. */
static void check_limits(struct vx_failure *failure, const struct vx_subject *subject, enum vx_phase phase)
{
	size_t i;

	for (i = 0; i < vx_limit_count; i++)
		if (vx_limits[i].owner == subject->owner && (phase == VX_PHASE_USUAL || vx_limits[i].source == VX_SOURCE_OWN))
			check_limit(failure, subject, &vx_limits[i]);
}

/* Rows that have one sentence stand together; it is said once. */
void vx_reason_of_subject(struct vx_failure *failure, const struct vx_subject *subject, enum vx_phase phase)
{
	vx_name said = 0;
	size_t i;

	if (phase == VX_PHASE_USUAL || phase == VX_PHASE_BEFORE)
		check_limits(failure, subject, phase);
	for (i = 0; i < vx_fault_count; i++) {
		const struct vx_fault *fault = &vx_faults[i];

		if (fault->owner != subject->owner || fault->phase != phase || fault->text == said ||
		    (phase == VX_PHASE_OTHERWISE && vx_reason_is_found(failure)) ||
		    !has_code(fault, failure->code) || !tests_hold(failure, subject, fault))
			continue;
		add_text(failure, subject, vx_text_at(fault->text));
		if (failure->code == -ENOENT && phase == VX_PHASE_AT_ONCE) /* sysfs, too */
			failure->code = -EINVAL;
		said = fault->text;
	}
}

void vx_reason_of_rows(struct vx_failure *failure, enum vx_phase phase)
{
	struct vx_subject subject;
	unsigned int i;

	for (i = 0; vx_subject_at(failure, i, &subject); i++)
		vx_reason_of_subject(failure, &subject, phase);
}
