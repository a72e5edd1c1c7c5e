/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where printing begins. */

#define _POSIX_C_SOURCE 200809L /* flockfile(3) */

#include <errno.h>

#include "parts.h"

#define CHUNK 1024 /* of a stream, on the stack */
#define INDENT_SHIFT 8
#define MOST_INDENT 127

static struct vx_printer printer_of(struct vx_out *out, const void *ptr, uint64_t mask, int style)
{
	const int base = style & VX_STYLE_MASK;

	return (struct vx_printer){
		.out = out,
		.mask = mask,
		.style = base == VX_COMPACT || base == VX_JSON ? (enum vx_style)base : VX_TEXT,
		.all = style & VX_ALL,
		.follow = style & VX_FOLLOW,
		.first = true,
		.indent = (unsigned int)style >> INDENT_SHIFT & MOST_INDENT,
		.depth = 1,
		.around = { (uintptr_t)ptr },
	};
}

const struct vx_struct *vx_struct_by_id(uint32_t id)
{
	uint16_t place = id < vx_struct_id_count ? vx_struct_ids[id] : 0;

	if (place > vx_core.structs && !vx_more_structs)
		return NULL;
	return place ? vx_struct_row(place - 1u) : NULL;
}

struct vx_view vx_view_of(struct vx_type type, const void *ptr)
{
	struct vx_view view = { .s = type.desc, .bytes = ptr, .size = type.size, .sure = true };

	if (type.desc->flags & VX_STRUCT_GROWS_FRONT)
		view.start = (int64_t)type.size - type.desc->size;
	return view;
}

static void put_only_value(struct vx_printer *p, const struct vx_view *view)
{
	const struct vx_field whole = {
		.kind = VX_KIND_STRUCT,
		.size = view->s->size,
		.ref = vx_struct_index(view->s),
	};

	vx_put_field_value(p, &whole, view->bytes, 1);
	vx_label_end(p);
}

static void put_struct(struct vx_printer *p, struct vx_type type, const void *ptr)
{
	struct vx_view view = vx_view_of(type, ptr);

	if (p->follow)
		vx_view_grow(p, &view);
	if (vx_is_one_value(view.s) && view.size >= view.s->size) {
		put_only_value(p, &view);
	} else if (p->style == VX_TEXT) {
		vx_walk(p, &view, NULL);
	} else {
		vx_block_open(p);
		vx_walk(p, &view, NULL);
		vx_block_close(p);
	}
}

static void print(struct vx_out *out, struct vx_type type, const void *ptr, uint64_t mask, int style)
{
	struct vx_printer p = printer_of(out, ptr, mask, style);

	if (!type.desc || !ptr) {
		vx_put_string(p.out, type.desc ? (p.style == VX_JSON ? "null" : "NULL") : p.style == VX_JSON ? "\"?\"" : "?");
		vx_label_end(&p);
	} else if (type.desc->flags & VX_STRUCT_HANDLE)
		vx_put_object(&p, ptr);
	else
		put_struct(&p, type, ptr);
}

size_t vx_snprint_mask(char *buf, size_t len, struct vx_type type, const void *ptr, uint64_t mask, int style)
{
	struct vx_out out = vx_out_in(buf, len);

	print(&out, type, ptr, mask, style);
	return vx_out_finish(&out);
}

size_t vx_snprint(char *buf, size_t len, struct vx_type type, const void *ptr, int style)
{
	return vx_snprint_mask(buf, len, type, ptr, VX_MASK_ALL, style);
}

int vx_fprint_mask(FILE *stream, struct vx_type type, const void *ptr, uint64_t mask, int style)
{
	char chunk[CHUNK];
	struct vx_out out;

	if (!stream)
		return -EINVAL;
	vx_out_stream(&out, stream, chunk, sizeof(chunk));
	flockfile(stream);
	print(&out, type, ptr, mask, style);
	vx_out_finish(&out);
	funlockfile(stream);
	return -out.error;
}

int vx_fprint(FILE *stream, struct vx_type type, const void *ptr, int style)
{
	return vx_fprint_mask(stream, type, ptr, VX_MASK_ALL, style);
}
