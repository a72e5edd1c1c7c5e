/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What pointers point to: only when asked for or where libverbsx has filled them, only where the structure vouches for them,
 * never past a count.
 */

#define _POSIX_C_SOURCE 200809L /* strnlen(3) */

#include "form.h"
#include "parts.h"

bool vx_encloses(const struct vx_printer *p, const void *address)
{
	unsigned int i;

	for (i = 0; i < p->depth; i++)
		if (p->around[i] == (uintptr_t)address)
			return true;
	return false;
}

bool vx_is_cut(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	return f->count == VX_FLEXIBLE && f->kind == VX_KIND_UINT && f->ref && vx_read_length(p, view, f) * f->size > f->ref;
}

void vx_view_grow(const struct vx_printer *p, struct vx_view *view)
{
	const struct vx_field *last = vx_field_of(view->s, view->s->fields - 1u);
	uint64_t most, count;

	if (!view->s->fields || view->size != view->s->size || last->count != VX_FLEXIBLE || !last->length || !last->size ||
	    vx_is_cut(p, view, last))
		return;
	most = VX_MOST_BYTES / last->size;
	count = vx_read_length(p, view, last);
	view->size += (size_t)(count < most ? count : most) * last->size;
}

static bool is_known(const struct vx_field *f)
{
	return f->kind == VX_KIND_TEXT_POINTER || f->kind == VX_KIND_POINTER_POINTER ||
	       (f->kind == VX_KIND_STRUCT_POINTER && vx_struct_row(f->ref)->size) ||
	       (f->kind == VX_KIND_UINT_POINTER && vx_is_number_size(f->ref)) ||
	       (f->kind == VX_KIND_BYTES_POINTER && (f->length || f->ref));
}

bool vx_follows(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	const unsigned char *at;
	const void *target;

	if (!(p->follow || view->s->flags & VX_STRUCT_FILLED) || !view->sure || !is_known(f) || f->count ||
	    p->depth == VX_DEEPEST || p->followed == VX_MOST_FOLLOWED)
		return false;
	if (vx_field_is_loose(view->s, f) || !vx_rule_holds(view, f->rule, p->mask))
		return false;
	at = vx_view_at(view, f->offset, sizeof(target));
	target = at ? vx_read_pointer(at) : NULL;
	return target && !vx_encloses(p, target);
}

/* An element behind a pointer, as if these were an array in the structure. */
static struct vx_field field_behind(const struct vx_field *f)
{
	const bool is_struct = f->kind == VX_KIND_STRUCT_POINTER, is_pointer = f->kind == VX_KIND_POINTER_POINTER;
	struct vx_field element = *f;

	element.count = 0;
	element.kind = is_struct ? VX_KIND_STRUCT : is_pointer ? VX_KIND_POINTER : VX_KIND_UINT;
	element.size = is_struct ? vx_struct_row(f->ref)->size : is_pointer ? sizeof(void *) : f->ref;
	return element;
}

void vx_followed_open(struct vx_printer *p, const struct vx_struct *s, const void *target)
{
	if (p->style != VX_JSON || s->flags & VX_STRUCT_FILLED)
		return;
	vx_open_pointer(p, target);
	vx_put_literal(p->out, ", \"to\": ");
}

void vx_followed_close(struct vx_printer *p, const struct vx_struct *s, bool cut)
{
	if (p->style == VX_JSON && !(s->flags & VX_STRUCT_FILLED))
		vx_put_string(p->out, cut ? ", \"cut\": true}" : "}");
}

/* How many elements or bytes a pointer leads to. */
static uint64_t count_behind(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f, const void *target)
{
	if (f->kind == VX_KIND_BYTES_POINTER && f->form == VX_FORM_SOCKADDR && !f->length)
		return vx_sockaddr_length(target);
	return f->length ? vx_read_length(p, view, f) : f->kind == VX_KIND_BYTES_POINTER ? f->ref : UINT64_MAX;
}

/* @param cut  there are more than so many */
static void put_elements(struct vx_printer *p, const struct vx_field *f, const void *target, uint64_t count, bool cut)
{
	const struct vx_field element = field_behind(f);

	if (f->length)
		vx_put_array(p, &element, target, (size_t)count, cut);
	else
		vx_put_field_value(p, &element, target, 1);
}

void vx_put_followed(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	const void *target = vx_read_pointer(vx_view_at(view, f->offset, sizeof(target)));
	uint64_t most = f->kind == VX_KIND_BYTES_POINTER ? VX_MOST_BYTES : VX_MOST_FOLLOWED;
	uint64_t count = count_behind(p, view, f, target);
	bool cut = f->length && count > most && f->kind != VX_KIND_TEXT_POINTER && !(f->flags & VX_FIELD_SECRET);

	vx_followed_open(p, view->s, target);
	if (f->flags & VX_FIELD_SECRET)
		vx_put_secret(p, count);
	else if (f->kind == VX_KIND_TEXT_POINTER)
		vx_put_string_value(p, target, strnlen(target, count < VX_LONGEST_STRING ? (size_t)count : VX_LONGEST_STRING));
	else if (f->kind == VX_KIND_BYTES_POINTER)
		vx_put_blob(p, (enum vx_form)f->form, target, cut ? (size_t)most : (size_t)count, cut);
	else
		put_elements(p, f, target, cut ? most : count, cut);
	vx_followed_close(p, view->s, cut);
}
