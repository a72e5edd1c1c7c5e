/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Structures, their fields, and calls, for those who want to know rather than print. */

#include <stdlib.h>
#include <string.h>

#include <verbsx/describe.h>

#include "tables.h"
#include "text/form.h"
#include "text/give.h"
#include "text/printer.h"

static bool has_tag(const struct vx_struct *s)
{
	return !(s->flags & VX_STRUCT_NESTED);
}

const struct vx_struct *vx_struct_find(const char *tag)
{
	const struct vx_struct *s;
	unsigned int i;

	for (i = 0; tag && i < vx_struct_count; i++) {
		s = vx_struct_row(i);
		if (has_tag(s) && !strcmp(vx_struct_text(s->name), tag))
			return s;
	}
	return NULL;
}

const struct vx_struct *vx_struct_at(size_t index)
{
	unsigned int i;

	for (i = 0; i < vx_struct_count; i++)
		if (has_tag(vx_struct_row(i)) && index-- == 0)
			return vx_struct_row(i);
	return NULL;
}

void vx_struct_describe_sized(const struct vx_struct *s, struct vx_struct_info *out, size_t size)
{
	struct vx_struct_info info = { .tag = "" };

	if (s)
		info = (struct vx_struct_info){
			.tag = vx_struct_text(s->name),
			.size = s->size,
			.since = s->since,
			.is_union = s->flags & VX_STRUCT_UNION,
			.internal = s->flags & VX_STRUCT_HIDDEN,
			.fields = s->fields,
		};
	VX_GIVE(out, size, &info);
}

static const struct vx_code *code_of(const struct vx_field *f)
{
	return f->kind == VX_KIND_CODE ? &vx_codes[f->ref] : NULL;
}

bool vx_struct_field_at_sized(const struct vx_struct *s, size_t index, struct vx_field_info *out, size_t size)
{
	struct vx_field_info info;
	const struct vx_field_note *note;
	const struct vx_code *code;
	const struct vx_field *f;

	if (!s || index >= s->fields)
		return false;
	f = vx_field_of(s, index);
	code = code_of(f);
	note = &vx_field_notes[vx_field_note_of[s->field + index]];
	info = (struct vx_field_info){
		.name = vx_struct_text(f->name),
		.c_type = vx_text_at(note->type),
		.offset = f->offset,
		.size = f->kind == VX_KIND_ABSENT ? 0 : f->size,
		.count = f->count == VX_FLEXIBLE ? SIZE_MAX : f->count,
		.since = note->since,
		.e = f->kind >= VX_KIND_ENUM && f->kind <= VX_KIND_BITMAP && f->ref < vx_enum_count ? &vx_enums[f->ref] : NULL,
		.s = f->kind == VX_KIND_STRUCT || f->kind == VX_KIND_STRUCT_POINTER ? vx_struct_row(f->ref) : NULL,
		.form = code ? vx_struct_text(code->name) : vx_text_at(vx_form_names[f->form]),
		.valid_when = vx_text_at(note->valid),
	};
	return VX_GIVE(out, size, &info);
}

size_t vx_struct_field_snprint(char *buf, size_t len, const struct vx_struct *s, size_t index, uint64_t value)
{
	const struct vx_field *f = s && index < s->fields ? vx_field_of(s, index) : NULL;
	struct vx_out out = vx_out_in(buf, len);
	struct vx_printer p = { .out = &out, .style = VX_TEXT };
	struct vx_field number;

	if (f && f->kind < VX_KIND_STRUCT && !vx_form_is_address((enum vx_form)f->form)) {
		number = (struct vx_field){ .kind = f->kind, .form = f->form, .ref = f->ref, .size = sizeof(value) };
		vx_put_field_value(&p, &number, (const unsigned char *)&value, 1);
	}
	return vx_out_finish(&out);
}

bool vx_struct_field_code_at(const struct vx_struct *s, size_t field, size_t index, uint64_t *value,
			     const char **text)
{
	const struct vx_code *code = s && field < s->fields ? code_of(vx_field_of(s, field)) : NULL;
	const struct vx_code_row *row;

	if (!code || index >= code->rows)
		return false;
	row = &vx_code_rows[code->row + index];
	if (value)
		*value = row->value;
	if (text)
		*text = vx_struct_text(row->text);
	return true;
}

/* ---- calls ---- */

static int order_of_call(const void *name, const void *row)
{
	return strcmp(name, vx_call_names + ((const struct vx_call_row *)row)->name);
}

size_t vx_call_index(const char *name)
{
	const struct vx_call_row *row = name ? bsearch(name, vx_calls, vx_call_count, sizeof(*row), order_of_call) : NULL;

	return row ? (size_t)(row - vx_calls) : VX_NO_CALL;
}

bool vx_call_at_sized(size_t index, struct vx_call_info *out, size_t size)
{
	const struct vx_call_row *row;
	struct vx_call_info info;

	if (index >= vx_call_count)
		return false;
	row = &vx_calls[index];
	info = (struct vx_call_info){
		.name = vx_call_names + row->name,
		.library = vx_call_names + vx_libraries[row->library].soname,
		.version = vx_call_names + row->version,
		.since = row->since,
		.kind = (enum vx_call_kind)row->kind,
		.error = (enum vx_call_error)row->error,
		.page = row->page,
		.note = vx_call_names + row->note,
	};
	return VX_GIVE(out, size, &info);
}

bool vx_call_find_sized(const char *name, struct vx_call_info *out, size_t size)
{
	return vx_call_at_sized(vx_call_index(name), out, size);
}
