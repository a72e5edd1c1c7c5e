/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Values that stand in one line. */

#define _POSIX_C_SOURCE 200809L /* strnlen(3) */

#include "form.h"
#include "parts.h"

/* How the raw value stands beside, or in place of, its text. */
enum raw {
	RAW_UNSIGNED,
	RAW_SIGNED,
	RAW_HEX,
};

/* JSON has only decimal numbers, and readers that keep 53 bits of one: all of 64 are strings. */
static void put_raw(struct vx_printer *p, const struct vx_field *f, uint64_t value, enum raw raw)
{
	bool quoted = p->style == VX_JSON && (f->size == 8 || f->flags & VX_FIELD_LONG);

	if (quoted)
		vx_put_char(p->out, '"');
	if (raw == RAW_SIGNED)
		vx_put_signed(p->out, (int64_t)value);
	else if (raw == RAW_HEX && p->style != VX_JSON)
		vx_put_hex(p->out, value);
	else
		vx_put_unsigned(p->out, value);
	if (quoted)
		vx_put_char(p->out, '"');
}

/* "NAME (4)" of VX_TEXT, "NAME(4)" of VX_COMPACT: what follows NAME. */
static void put_raw_beside(struct vx_printer *p, const struct vx_field *f, uint64_t value, enum raw raw)
{
	const bool apart = p->style == VX_TEXT;

	vx_put(p->out, &" ("[!apart], 1u + apart);
	put_raw(p, f, value, raw);
	vx_put_char(p->out, ')');
}

/* What begins a number that is more than a number; JSON has an object for it, whatever its value. */
static void open_value(struct vx_printer *p, const struct vx_field *f, uint64_t value, enum raw raw)
{
	vx_put_literal(p->out, "{\"value\": ");
	put_raw(p, f, value, raw);
}

/* A 0 of an init structure that stands for another value. */
static bool is_default(const struct vx_field *f, uint64_t value)
{
	return !value && (f->form == VX_FORM_DEFAULT || f->form == VX_FORM_VX_NONE);
}

/* An enumerator, as vx_enum_parse() reads it back, or null. */
static void add_enumerator(struct vx_printer *p, const struct vx_field *f, const struct vx_enum_info *e, uint64_t value)
{
	struct vx_out nowhere = vx_out_in(NULL, 0);

	/* Enumerators are to be names of all of it; 0 is no flag, and may stand for another value. */
	if ((!value && e->kind == VX_ENUM_FLAGS) || is_default(f, value) || !vx_enum_put(&nowhere, e, (int64_t)value)) {
		vx_put_literal(p->out, ", \"name\": null");
		return;
	}
	vx_put_literal(p->out, ", \"name\": \"");
	vx_enum_put(p->out, e, (int64_t)value);
	vx_put_char(p->out, '"');
}

void vx_put_string_value(struct vx_printer *p, const char *text, size_t len)
{
	if (p->style == VX_JSON)
		vx_put_json_string(p->out, text, len);
	else if (p->style == VX_COMPACT)
		vx_put_word(p->out, text, len);
	else
		vx_put_plain(p->out, text, len);
}

/* ---- pointers ---- */

static void put_name_behind(const struct vx_printer *p, struct vx_out *out, const struct vx_field *f, const void *pointer)
{
	if (f->ref != VX_REF_OWN_HANDLE && p->put_raw)
		p->put_raw(out, f->ref, pointer);
	else if (f->ref != VX_REF_OWN_HANDLE && vx_put_name_of)
		vx_put_name_of(out, pointer, NULL);
	else if (vx_put_name_of_handle)
		vx_put_name_of_handle(out, pointer);
}

void vx_open_pointer(struct vx_printer *p, const void *pointer)
{
	vx_put_literal(p->out, "{\"address\": \"");
	vx_put_hex(p->out, (uintptr_t)pointer);
	vx_put_char(p->out, '"');
}

/* Pointers to objects have a name, null where there is no handle. */
static void put_json_pointer(struct vx_printer *p, const void *pointer, bool object, const char *name, size_t len)
{
	vx_open_pointer(p, pointer);
	vx_put_string(p->out, !object ? "" : len ? ", \"name\": " : ", \"name\": null");
	if (len)
		vx_put_json_string(p->out, name, len);
	vx_put_char(p->out, '}');
}

/* Where a function is differs from run to run and helps nobody; whether it is there decides what works. */
static void put_pointer(struct vx_printer *p, const struct vx_field *f, const void *pointer)
{
	const bool object = f->kind == VX_KIND_POINTER && f->ref;
	char text[VX_FORM_LONGEST];
	struct vx_out name = vx_out_in(text, sizeof(text));

	if (object && pointer)
		put_name_behind(p, &name, f, pointer);
	if (!pointer)
		vx_put_string(p->out, p->style == VX_JSON ? "null" : "NULL");
	else if (f->kind == VX_KIND_FUNCTION)
		vx_put_string_value(p, "set", strlen("set"));
	else if (p->style == VX_JSON)
		put_json_pointer(p, pointer, object, text, vx_out_length(&name));
	else if (!vx_out_length(&name))
		vx_put_hex(p->out, (uintptr_t)pointer);
	else if (p->depth || p->style != VX_COMPACT)
		vx_put_string_value(p, text, vx_out_length(&name));
	else
		vx_put(p->out, text, vx_out_length(&name));
	if (vx_out_length(&name) && p->style != VX_JSON && f->ref != VX_REF_OWN_HANDLE && !p->put_raw)
		put_raw_beside(p, f, (uintptr_t)pointer, RAW_HEX);
}

/* ---- blobs ---- */

void vx_put_blob(struct vx_printer *p, enum vx_form form, const unsigned char *at, size_t count, bool cut)
{
	bool quoted = p->style == VX_JSON || (p->style == VX_COMPACT && (cut || !count));
	char text[VX_FORM_LONGEST];
	struct vx_out address = vx_out_in(text, sizeof(text)), *to = p->style == VX_TEXT ? p->out : &address; /* where nothing needs quotes */

	if (vx_address_put(to, form, at, count)) {
		if (form == VX_FORM_TIMESPEC && p->style == VX_JSON)
			vx_put_time(p->out, "{\"tv_sec\": \"%lld\", \"tv_nsec\": \"%lld\"}", at);
		else if (to == &address)
			vx_put_string_value(p, text, vx_out_length(&address));
		return;
	}
	vx_put_string(p->out, quoted ? "\"" : "");
	vx_put_hex_bytes(p->out, at, count, 0);
	vx_put_string(p->out, cut && p->style != VX_JSON ? "..." : "");
	vx_put_string(p->out, quoted ? "\"" : "");
}

void vx_put_secret(struct vx_printer *p, uint64_t count)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "<%llu byte%s>", (unsigned long long)count,
			   count == 1 ? "" : "s");

	vx_put_string_value(p, text, (size_t)len);
}

/* ---- numbers ---- */

/* A number that is an address goes through its bytes in network order, however it was stored. */
static void put_address_number(struct vx_printer *p, const struct vx_field *f, uint64_t value)
{
	unsigned char bytes[8];
	size_t i;

	for (i = f->size; i-- > 0; value >>= 8)
		bytes[i] = value & 0xff;
	vx_put_blob(p, (enum vx_form)f->form, bytes, f->size, false);
}

/* A number, and what it means in words where it means something; as JSON has it, a number that means nothing is its own text. */
static void put_meaning(struct vx_printer *p, const struct vx_field *f, uint64_t value, enum raw raw)
{
	const struct vx_code *code = f->kind == VX_KIND_CODE ? &vx_codes[f->ref] : NULL;
	enum raw alone = value ? raw : RAW_UNSIGNED;
	char text[VX_FORM_LONGEST];
	/* Of what lies below 0 only errors and file descriptors mean something. */
	bool means = raw != RAW_SIGNED || (int64_t)value >= 0 || f->form == VX_FORM_ERRNO || f->form == VX_FORM_FD;
	struct vx_out words = vx_out_in(text, sizeof(text)), *to = p->style == VX_TEXT ? p->out : &words;

	if (code)
		means = vx_put_if_any(to, vx_code_word(f->ref, value));
	else
		means = means && vx_form_put(to, (enum vx_form)f->form, value);
	if (p->style == VX_JSON) {
		open_value(p, f, value, raw);
		if (code && code->e)
			add_enumerator(p, f, &vx_enums[code->e - 1], value);
		if (!means)
			put_raw(&(struct vx_printer){ .out = &words }, f, value, alone);
		vx_put_literal(p->out, ", \"text\": ");
		vx_put_json_string(p->out, text, vx_out_length(&words));
		vx_put_char(p->out, '}');
	} else if (means) {
		if (to == &words)
			vx_put_string_value(p, text, vx_out_length(&words));
		put_raw_beside(p, f, value, raw);
	} else {
		put_raw(p, f, value, alone);
	}
}

static void put_number(struct vx_printer *p, const struct vx_field *f, uint64_t value)
{
	enum vx_form form = (enum vx_form)f->form;
	enum raw raw = vx_form_is_hex(form) ? RAW_HEX : f->kind == VX_KIND_INT ? RAW_SIGNED : RAW_UNSIGNED;

	if (raw == RAW_HEX)
		value &= UINT64_MAX >> (64 - 8 * f->size); /* no sign */
	if (vx_form_is_address(form))
		put_address_number(p, f, value);
	else if (f->kind == VX_KIND_CODE || (form != VX_FORM_PLAIN && form != VX_FORM_HEX))
		put_meaning(p, f, value, raw);
	else
		put_raw(p, f, value, raw);
}

static void put_bool(struct vx_printer *p, uint64_t value)
{
	if (value > 1 && p->style != VX_JSON)
		vx_put_signed(p->out, (int64_t)value);
	else
		vx_put_string(p->out, value ? "true" : "false");
}

static void put_enum(struct vx_printer *p, const struct vx_field *f, uint64_t value)
{
	const struct vx_enum_info *e = &vx_enums[f->ref];
	enum raw raw = e->low < 0 ? RAW_SIGNED : RAW_UNSIGNED;

	if (p->style == VX_JSON) {
		open_value(p, f, value, raw);
		add_enumerator(p, f, e, value);
		vx_put_char(p->out, '}');
	} else if (e->kind == VX_ENUM_FLAGS && !value) {
		vx_put_char(p->out, '0');
	} else if (vx_enum_put(p->out, e, (int64_t)value)) {
		put_raw_beside(p, f, value, raw);
	}
}

static void put_json_set(struct vx_printer *p, const struct vx_field *f, uint64_t set)
{
	struct vx_join names = { .out = p->out, .between = ", ", .quoted = true };

	open_value(p, f, set, RAW_UNSIGNED);
	vx_put_literal(p->out, ", \"names\": [");
	set = vx_enum_join(&names, &vx_enums[f->ref], set, f->kind == VX_KIND_BITMAP);
	vx_put_literal(p->out, "], \"unknown\": ");
	put_raw(p, f, set, RAW_UNSIGNED);
	vx_put_char(p->out, '}');
}

static void put_set(struct vx_printer *p, const struct vx_field *f, uint64_t set)
{
	struct vx_join join = { .out = p->out, .between = "|" };

	if (!set)
		vx_put_char(p->out, '0');
	if (vx_enum_join(&join, &vx_enums[f->ref], set, f->kind == VX_KIND_BITMAP) != set)
		put_raw_beside(p, f, set, RAW_HEX);
}

static void put_integer(struct vx_printer *p, const struct vx_field *f, const unsigned char *at)
{
	uint64_t value = vx_read_field(f, at);
	bool json = p->style == VX_JSON;

	if (!json && is_default(f, value)) {
		vx_put_literal(p->out, "default");
		put_raw_beside(p, f, value, RAW_UNSIGNED);
	} else if (f->kind == VX_KIND_BOOL) {
		put_bool(p, value);
	} else if (f->kind == VX_KIND_ENUM) {
		put_enum(p, f, value);
	} else if (f->kind == VX_KIND_FLAGS || f->kind == VX_KIND_BITMAP) {
		(json ? put_json_set : put_set)(p, f, value);
	} else {
		put_number(p, f, value);
	}
}

/* ---- fields ---- */

bool vx_is_one_value(const struct vx_struct *s)
{
	return s->flags & VX_STRUCT_ONE_VALUE && vx_field_of(s, 0)->kind != VX_KIND_ABSENT;
}

static void put_element(struct vx_printer *p, const struct vx_field *f, const unsigned char *at)
{
	const struct vx_field *first;

	switch (f->kind) {
	case VX_KIND_STRUCT: /* which stands for one value: its first field in its place */
		first = vx_field_of(vx_struct_row(f->ref), 0);
		vx_put_field_value(p, first, at + first->offset, first->count);
		break;
	case VX_KIND_STRING:
		vx_put_string_value(p, (const char *)at, strnlen((const char *)at, f->size));
		break;
	case VX_KIND_BYTES:
		vx_put_blob(p, (enum vx_form)f->form, at, f->size, false);
		break;
	default:
		if (f->kind >= VX_KIND_POINTER)
			put_pointer(p, f, vx_read_pointer(at));
		else if (vx_is_number_size(f->size))
			put_integer(p, f, at);
		else
			vx_put_blob(p, VX_FORM_PLAIN, at, f->size, false);
	}
}

void vx_put_array(struct vx_printer *p, const struct vx_field *f, const unsigned char *at, size_t count,
		  bool cut)
{
	size_t i;

	vx_put_char(p->out, '[');
	for (i = 0; i < count; i++) {
		if (i)
			vx_comma(p);
		put_element(p, f, at + i * f->size);
	}
	if (cut && p->style != VX_JSON) {
		if (i)
			vx_comma(p);
		vx_put_literal(p->out, "...");
	}
	vx_put_char(p->out, ']');
}

void vx_put_field_value(struct vx_printer *p, const struct vx_field *f, const unsigned char *at, size_t count)
{
	if (f->flags & VX_FIELD_SECRET && vx_is_plain(f))
		vx_put_secret(p, f->count ? count * f->size : f->size);
	else if (f->count == 0)
		put_element(p, f, at);
	else if (f->size != 1 || (f->kind != VX_KIND_STRING && f->kind != VX_KIND_BYTES)) /* bytes and characters are one value */
		vx_put_array(p, f, at, count, false);
	else if (f->kind == VX_KIND_STRING)
		vx_put_string_value(p, (const char *)at, strnlen((const char *)at, count));
	else
		vx_put_blob(p, (enum vx_form)f->form, at, count, false);
}
