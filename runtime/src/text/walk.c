/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Through the fields of a structure, one by one. */

#include "parts.h"

static size_t whole_size(const struct vx_field *f)
{
	return f->count && f->count != VX_FLEXIBLE ? (size_t)f->size * f->count : f->size;
}

/* A nested structure may have grown: what there is of it is shown. */
static bool is_there(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	if (f->count == VX_FLEXIBLE)
		return vx_elements(p, view, f) != 0 || vx_is_cut(p, view, f);
	if (f->kind == VX_KIND_STRUCT && vx_is_block(p, view, f))
		return vx_view_at(view, f->offset, 1) && p->depth < VX_DEEPEST;
	return vx_view_at(view, f->offset, whole_size(f)) != NULL;
}

static bool is_zero(const struct vx_view *view, const struct vx_field *f)
{
	const unsigned char *at = vx_view_at(view, f->offset, whole_size(f));

	return at && !vx_is_set(at, whole_size(f));
}

/* Of a number whose 0 stands for a default, where no bit says that it is meant. */
static bool is_default_unless_meant(const struct vx_view *view, const struct vx_field *f)
{
	return f->flags & VX_FIELD_DEFAULT && vx_is_plain(f) && is_zero(view, f) && !vx_rule_holds(view, f->rule, 0);
}

static bool is_shown(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/* Of a union of which no member is valid there is nothing to say. */
static bool is_empty_union(const struct vx_printer *p, const struct vx_view *outer, const struct vx_field *f)
{
	const struct vx_struct *s = vx_struct_row(f->ref);
	struct vx_view view = *outer;
	unsigned int i;

	if (!(s->flags & VX_STRUCT_UNION))
		return false;
	view.s = s;
	view.start += f->offset;
	for (i = 0; i < s->fields; i++)
		if (is_shown(p, &view, vx_field_of(s, i)))
			return false;
	return true;
}

static bool is_shown(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	if (f->kind == VX_KIND_ABSENT || !is_there(p, view, f))
		return false;
	if (p->all)
		return true;
	if (f->rule && !vx_rule_holds(view, f->rule, p->mask) && !(f->flags & VX_FIELD_DEFAULT && vx_is_plain(f)))
		return false;
	if (f->flags & VX_FIELD_ZERO && is_zero(view, f))
		return false;
	return f->kind != VX_KIND_STRUCT || !is_empty_union(p, view, f);
}

/* Most fields: neither a unit, a flag nor an array has a say in what they look like. */
static inline bool is_mere_number(const struct vx_field *f)
{
	return (f->kind == VX_KIND_UINT || f->kind == VX_KIND_INT) && (f->form == VX_FORM_PLAIN || f->form == VX_FORM_HEX) && !f->count && !f->flags && vx_is_number_size(f->size);
}

/* A line of VX_TEXT of such a field, where it is short and there is room for it. @return behind it; NULL: nothing was written that counts */
static inline char *write_mere_number(char *to, const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	const unsigned char *at = vx_view_at(view, f->offset, f->size);
	const uint64_t value = at ? vx_read_unsigned(at, f->size) : 0;

	if (!at || (f->kind == VX_KIND_INT && value >> (8 * f->size - 1)))
		return NULL;
	to = vx_write_label(to, p->out->end - VX_MOST_DIGITS - 1, f->name, vx_indent(p), view->s->width);
	if (!to)
		return NULL;
	to += f->form == VX_FORM_HEX ? vx_write_hex(to, value) : vx_write_unsigned(to, value);
	*to = '\n';
	return to + 1;
}

/*
 * All of these that follow one another in VX_TEXT, less what is not valid: of most structures most lines. Whether they are shown only a rule
 * decides. @return the first that is to be looked at otherwise
 */
static const struct vx_field *put_mere_numbers(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f, const struct vx_field *end)
{
	char *to;

	for (; f < end && is_mere_number(f) && (!f->rule || p->all || vx_rule_holds(view, f->rule, p->mask)); f++) {
		to = write_mere_number(p->out->pos, p, view, f);
		if (!to)
			break;
		p->out->pos = to;
		p->first = false;
	}
	return f;
}

static void put_line(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	const struct vx_field unset = { .kind = VX_KIND_UINT, .form = VX_FORM_DEFAULT, .size = 1 };

	vx_label_name(p, f->name, view->s->width);
	if (p->style != VX_JSON && is_default_unless_meant(view, f))
		vx_put_field_value(p, &unset, (const unsigned char *)"", 1);
	else if (!vx_is_plain(f) && vx_follows(p, view, f))
		vx_put_followed(p, view, f);
	else if (vx_is_cut(p, view, f))
		vx_put_array(p, f, NULL, 0, true);
	else
		vx_put_field_value(p, f, vx_view_at(view, f->offset, 0),
				   f->count ? vx_elements(p, view, f) : 1);
	vx_label_end(p);
}

void vx_put_field(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	if (!vx_is_plain(f) && vx_is_block(p, view, f))
		vx_put_blocks(p, view, f);
	else
		put_line(p, view, f);
}

void vx_walk(struct vx_printer *p, const struct vx_view *view, const struct vx_field *skip)
{
	const struct vx_field *f = vx_field_of(view->s, 0);
	const struct vx_field *end = f + view->s->fields;

	for (;; f++) {
		if (p->style == VX_TEXT)
			f = put_mere_numbers(p, view, f, end);
		if (f == end)
			return;
		if (f != skip && is_shown(p, view, f))
			vx_put_field(p, view, f);
	}
}
