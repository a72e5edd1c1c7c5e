/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Structures within structures: nested, in arrays, behind pointers, in linked lists. What pointers point to is read only when asked for or
 * where libverbsx has filled them, only where the structure vouches for them, never past a count.
 */

#define _POSIX_C_SOURCE 200809L /* strnlen(3) */

#include "form.h"
#include "parts.h"
#include "signature.h"

#define MOST_BYTES 65536		/* behind one pointer */
#define LONGEST_STRING 4096	/* behind a char pointer */

/* ---- which pointers are followed ---- */

static bool is_within(const struct vx_printer *p, const void *address)
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
	most = MOST_BYTES / last->size;
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
	return target && !is_within(p, target);
}

/*
 * What stands around that which a pointer leads to: in JSON the pointer, but where libverbsx fills the structure.
 *
 * @param cut  not all of it is printed
 */
static void open_followed(struct vx_printer *p, const struct vx_struct *s, const void *target)
{
	if (p->style != VX_JSON || s->flags & VX_STRUCT_FILLED)
		return;
	vx_open_pointer(p, target);
	vx_put_literal(p->out, ", \"to\": ");
}

static void close_followed(struct vx_printer *p, const struct vx_struct *s, bool cut)
{
	if (p->style == VX_JSON && !(s->flags & VX_STRUCT_FILLED))
		vx_put_string(p->out, cut ? ", \"cut\": true}" : "}");
}

/* ---- in one line ---- */

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

/* How many elements or bytes a pointer leads to. */
static uint64_t count_behind(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f, const void *target)
{
	if (f->kind == VX_KIND_BYTES_POINTER && f->form == VX_FORM_SOCKADDR && !f->length)
		return vx_sockaddr_length(target);
	return f->length ? vx_read_length(p, view, f) : f->kind == VX_KIND_BYTES_POINTER ? f->ref : UINT64_MAX;
}

void vx_put_followed(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	const void *target = vx_read_pointer(vx_view_at(view, f->offset, sizeof(target)));
	const bool is_text = f->kind == VX_KIND_TEXT_POINTER, is_bytes = f->kind == VX_KIND_BYTES_POINTER;
	const uint64_t count = count_behind(p, view, f, target), most = is_text ? LONGEST_STRING : is_bytes ? MOST_BYTES : VX_MOST_FOLLOWED;
	const size_t shown = (size_t)(count < most ? count : most);
	const bool cut = f->length && count > most && !is_text && !(f->flags & VX_FIELD_SECRET);
	const struct vx_field element = field_behind(f);

	open_followed(p, view->s, target);
	if (f->flags & VX_FIELD_SECRET)
		vx_put_secret(p, count);
	else if (is_text)
		vx_put_string_value(p, target, strnlen(target, shown));
	else if (is_bytes)
		vx_put_blob(p, (enum vx_form)f->form, target, shown, cut);
	else if (f->length)
		vx_put_array(p, &element, target, shown, cut);
	else
		vx_put_field_value(p, &element, target, 1);
	close_followed(p, view->s, cut);
}

/* ---- in blocks ---- */

/* One after another, wherever they lie. */
struct items {
	const char *name;
	struct vx_view view; /* the one at hand */
	uint64_t left; /* with it; of a list unknown */
	size_t stride;
	const struct vx_field *link; /* to the next of a list; NULL: they stand in a row */
	const unsigned char *pointers; /* the one at hand of a row of them, each to an item; NULL: the items are the row */
	const void *mark; /* an earlier one of a list, to notice a ring */
	size_t steps;
	const struct vx_tail *tail; /* each says how long it is; NULL: all are alike */
	const struct vx_struct *pointed; /* behind a pointer in this; NULL: in place */
	bool array;
	bool cut; /* there are more than were printed */
};

static bool is_one_value_field(const struct vx_field *f)
{
	const struct vx_struct *s = vx_struct_row(f->ref);

	if (f->kind == VX_KIND_STRUCT_POINTER && f->flags & VX_FIELD_EACH)
		return false;
	return vx_is_one_value(s) && (f->kind == VX_KIND_STRUCT_POINTER || s->size <= f->size);
}

bool vx_is_block(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	if (f->kind != VX_KIND_STRUCT && f->kind != VX_KIND_STRUCT_POINTER)
		return false;
	if (is_one_value_field(f))
		return false;
	if (f->kind == VX_KIND_STRUCT)
		return true;
	return vx_follows(p, view, f) && (!f->length || vx_read_length(p, view, f));
}

static void find_nested(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f,
			struct items *items)
{
	items->view = *view;
	items->view.s = vx_struct_row(f->ref);
	items->view.start += f->offset;
	items->view.sure = view->sure && vx_rule_holds(view, f->rule, p->mask) &&
			   !vx_field_is_loose(view->s, f);
	items->stride = f->size;
	items->array = f->count != 0;
	items->left = items->array ? vx_elements(p, view, f) : 1;
}

static void find_pointed(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f,
			 struct items *items)
{
	const void *target = vx_read_pointer(vx_view_at(view, f->offset, sizeof(target)));
	uint64_t count = f->length ? vx_read_length(p, view, f) : 1;

	items->link = f->flags & VX_FIELD_LIST ? f : NULL;
	items->mark = target;
	items->pointed = view->s;
	items->array = items->link || f->length;
	if (f->length && p->most && count > *p->most) {
		count = *p->most;
		items->cut = true;
	}
	items->left = count < VX_MOST_FOLLOWED ? count : VX_MOST_FOLLOWED + 1;
	items->stride = vx_struct_row(f->ref)->size;
	items->pointers = f->flags & VX_FIELD_EACH ? target : NULL;
	items->view = (struct vx_view){
		.s = vx_struct_row(f->ref),
		.bytes = !items->pointers ? target : items->left ? vx_read_pointer(target) : NULL,
		.size = items->pointers ? items->stride : (size_t)items->left * items->stride,
		.sure = true,
	};
	if (!items->array && items->left)
		vx_view_grow(p, &items->view);
}

/* One that does not even reach over its own size is none. */
static bool take_of_tail(struct items *items)
{
	const struct vx_tail *tail = items->tail;
	const unsigned char *at = items->view.bytes + items->view.start;

	items->stride = (size_t)vx_read_unsigned(at + tail->size_at, tail->size_size);
	items->view.size = (size_t)items->view.start + items->stride;
	items->cut = items->stride < (size_t)tail->size_at + tail->size_size;
	return !items->cut;
}

static bool take_item(struct vx_printer *p, struct items *items)
{
	if (items->tail)
		return take_of_tail(items);
	if (!items->pointed)
		return true;
	if (!items->view.bytes)
		return false;
	if (p->followed == VX_MOST_FOLLOWED) {
		items->cut = true;
		return false;
	}
	p->followed++;
	return true;
}

/* The mark moves ahead at 1, 2, 4... steps, so that any ring comes back to it soon (Brent's way). */
static bool is_ring(const struct vx_printer *p, struct items *items, const void *next)
{
	if (next == items->mark || is_within(p, next))
		return true;
	items->steps++;
	if (!(items->steps & (items->steps - 1)))
		items->mark = next;
	return false;
}

static bool next_of_list(struct vx_printer *p, struct items *items)
{
	const unsigned char *at = vx_view_at(&items->view, items->link->offset, sizeof(void *));
	const void *next = at ? vx_read_pointer(at) : NULL;

	if (!next)
		return false;
	if (is_ring(p, items, next)) {
		items->cut = true;
		return false;
	}
	items->view.bytes = next;
	return take_item(p, items);
}

static bool next_item(struct vx_printer *p, struct items *items)
{
	if (items->link)
		return next_of_list(p, items);
	if (--items->left == 0)
		return false;
	if (items->pointers)
		items->view.bytes = vx_read_pointer(items->pointers += sizeof(void *));
	else
		items->view.start += (int64_t)items->stride;
	return take_item(p, items);
}

static void put_block(struct vx_printer *p, const struct items *items)
{
	uint64_t mask = p->mask;

	p->around[p->depth++] = (uintptr_t)items->view.bytes + (uintptr_t)items->view.start;
	if (p->depth > 1 && !(items->view.s->flags & VX_STRUCT_NESTED))
		p->mask = VX_MASK_ALL;
	vx_block_open(p);
	vx_walk(p, &items->view, items->link);
	if (p->depth == 1 && p->tail)
		vx_put_tail(p, &items->view);
	vx_block_close(p);
	p->mask = mask;
	p->depth--;
}

/* What stands before one of them: in VX_TEXT a line of its own. */
static void put_before(struct vx_printer *p, const struct items *items, int64_t index)
{
	if (p->style == VX_TEXT)
		vx_heading(p, items->name, index);
	else if (index > 0)
		vx_comma(p);
}

static void put_items(struct vx_printer *p, struct items *items)
{
	int64_t index = items->array ? 0 : -1;
	bool more;

	for (more = take_item(p, items); more; more = next_item(p, items)) {
		put_before(p, items, index++);
		vx_label_end(p);
		put_block(p, items);
	}
	if (items->cut && p->style != VX_JSON) {
		put_before(p, items, index);
		vx_put_string(p->out, p->style == VX_TEXT ? " ..." : "...");
		vx_label_end(p);
	}
}

static void put_all(struct vx_printer *p, struct items *items, size_t width)
{
	if (p->style == VX_TEXT && items->left) {
		put_items(p, items);
		return;
	}
	vx_label_text(p, items->name, width);
	if (items->pointed)
		open_followed(p, items->pointed, items->mark);
	vx_put_string(p->out, items->array ? "[" : "");
	if (items->left)
		put_items(p, items);
	vx_put_string(p->out, items->array ? "]" : "");
	if (items->pointed)
		close_followed(p, items->pointed, items->cut);
	vx_label_end(p);
	p->first = false;
}

void vx_put_tail(struct vx_printer *p, const struct vx_view *view)
{
	struct items items = {
		.name = vx_struct_text(p->tail->name),
		.view = { .s = vx_struct_row(p->tail->desc), .bytes = view->bytes + view->size, .sure = true },
		.left = vx_read_unsigned(view->bytes + p->tail->count_at, p->tail->count_size),
		.tail = p->tail,
		.array = true,
	};

	put_all(p, &items, 0);
}

void vx_put_blocks(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f)
{
	struct items items = { .name = vx_struct_text(f->name) };

	if (f->kind == VX_KIND_STRUCT)
		find_nested(p, view, f, &items);
	else
		find_pointed(p, view, f, &items);
	put_all(p, &items, view->s->width);
}
