/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* From the bytes of a structure to values, from the path of a field to its bytes, and by rules to whether it is valid. */

#include "parts.h"

uint64_t vx_bits_get(const void *bytes, unsigned int offset, unsigned int width)
{
	const unsigned char *from = bytes;
	uint64_t value = 0;
	unsigned int bit;

	for (bit = offset; bit < offset + width; bit++)
		value = value << 1 | (from[bit / 8] >> (7 - bit % 8) & 1);
	return value;
}

void vx_bits_put(void *bytes, unsigned int offset, unsigned int width, uint64_t value)
{
	unsigned char *to = bytes;
	unsigned int bit;

	for (bit = offset + width; bit-- > offset; value >>= 1)
		to[bit / 8] = (unsigned char)((to[bit / 8] & ~(0x80u >> bit % 8)) | (value & 1) << (7 - bit % 8));
}

static uint64_t read_big_endian(const unsigned char *at, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | *at++;
	return value;
}

/* An enum with negative values is a signed int wherever it is stored, and truth values as wide as one are its values. */
static bool is_signed(const struct vx_field *f)
{
	return f->kind == VX_KIND_INT || (f->kind == VX_KIND_ENUM && vx_enums[f->ref].low < 0) ||
	       (f->kind == VX_KIND_BOOL && f->size >= sizeof(int));
}

uint64_t vx_read_field(const struct vx_field *f, const unsigned char *at)
{
	const uint64_t value = f->flags & VX_FIELD_BIG_ENDIAN ? read_big_endian(at, f->size) : vx_read_unsigned(at, f->size);
	const uint64_t sign = is_signed(f) ? UINT64_C(1) << (8 * f->size - 1) : 0;

	return (value ^ sign) - sign;
}

const void *vx_read_pointer(const unsigned char *at)
{
	const void *pointer;

	memcpy(&pointer, at, sizeof(pointer));
	return pointer;
}

static bool is_integer(const struct vx_field *f)
{
	return f->kind >= VX_KIND_UINT && f->kind <= VX_KIND_CODE && f->count == 0 &&
	       vx_is_number_size(f->size);
}

uint64_t vx_read_length(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	const struct vx_field *counter = vx_field_of(view->s, f->length - 1u);
	const unsigned char *at;
	uint64_t value;

	if (f->length > view->s->fields || !is_integer(counter) ||
	    !vx_rule_holds(view, counter->rule, p->mask))
		return 0;
	at = vx_view_at(view, counter->offset, counter->size);
	if (!at)
		return 0;
	value = vx_read_field(counter, at);
	if (f->flags & VX_FIELD_LENGTH_BYTES && f->count)
		return value / f->size;
	if (f->flags & VX_FIELD_LENGTH_POINTER)
		return value < 64 ? UINT64_C(1) << value : 0;
	return (int64_t)value < 0 ? 0 : value;
}

size_t vx_elements(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	const int64_t at = view->start + f->offset;
	uint64_t there = at >= 0 && (uint64_t)at < view->size ? view->size - (uint64_t)at : 0;
	uint64_t count = f->count == VX_FLEXIBLE ? UINT64_MAX : f->count ? f->count : 1;
	uint64_t length;

	if (f->length && f->count) {
		length = vx_read_length(p, view, f);
		count = length < count ? length : count;
	}
	there = f->size ? there / f->size : 0;
	return (size_t)(there < count ? there : count);
}

/* ---- by the path of a field ---- */

const struct vx_field *vx_field_named(const struct vx_struct *s, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < s->fields; i++) {
		const struct vx_field *f = vx_field_of(s, i);
		const char *own = vx_struct_text(f->name);

		if (!strncmp(own, name, len) && !own[len])
			return f->kind == VX_KIND_ABSENT ? NULL : f;
	}
	return NULL;
}

bool vx_place_find(const struct vx_view *view, const char *path, uint64_t mask, struct vx_place *out)
{
	struct vx_view inner = *view;

	for (;;) {
		size_t len = strcspn(path, ".");
		const struct vx_field *f = vx_field_named(inner.s, path, len);

		if (!f || !vx_rule_holds(&inner, f->rule, mask))
			return false;
		if (!path[len]) {
			*out = (struct vx_place){ f, vx_view_at(&inner, f->offset, f->size) };
			return out->at != NULL;
		}
		if (f->kind != VX_KIND_STRUCT)
			return false;
		inner.s = vx_struct_row(f->ref);
		inner.start += f->offset;
		path += len + 1;
	}
}

uint64_t vx_place_value(const struct vx_place *place)
{
	return vx_read_field(place->field, place->at);
}

void vx_put_place(struct vx_out *out, const struct vx_place *place)
{
	struct vx_printer printer = { .out = out, .style = VX_TEXT, .mask = VX_MASK_ALL };

	vx_put_field_value(&printer, place->field, place->at, 1);
}

/* ---- which fields are valid ---- */

static bool is_one_of(const struct vx_rule *rule, uint64_t value)
{
	uint16_t i;

	for (i = 0; i < rule->values; i++)
		if (vx_rule_values[rule->value + i] == value)
			return true;
	return false;
}

static bool link_holds(const struct vx_view *view, const struct vx_rule *rule, uint64_t mask)
{
	const unsigned char *at = vx_view_at(view, rule->offset, rule->size);
	uint64_t selector = at ? vx_read_unsigned(at, rule->size) : 0;
	const uint64_t *bits = &vx_rule_values[rule->value];

	switch (rule->op) {
	case VX_RULE_MASK:
		return mask & *bits;
	case VX_RULE_NO_MASK:
		return !(mask & *bits);
	case VX_RULE_ANY_BIT:
		return selector & *bits;
	case VX_RULE_NO_BIT:
		return at && !(selector & *bits);
	case VX_RULE_ONE_OF:
		return at && is_one_of(rule, selector);
	case VX_RULE_NONE_OF:
		return at && !is_one_of(rule, selector);
	case VX_RULE_BEYOND:
		return at && selector > *bits;
	default:
		return false;
	}
}

bool vx_rule_holds(const struct vx_view *view, uint16_t rule, uint64_t mask)
{
	while (rule && link_holds(view, &vx_rules[rule], mask))
		rule = vx_rules[rule].next;
	return !rule;
}

bool vx_field_is_loose(const struct vx_struct *s, const struct vx_field *f)
{
	bool last = f == vx_field_of(s, s->fields - 1u);

	if (f->rule)
		return false;
	return s->flags & VX_STRUCT_UNION || f->flags & VX_FIELD_UNION ||
	       (!last && f[1].flags & VX_FIELD_UNION);
}
