/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "printer.h"

const struct vx_field *vx_field_named(const struct vx_struct *s, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < s->fields; i++) {
		const struct vx_field *f = vx_field_of(s, i);
		const char *own = vx_struct_names + f->name;

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
		inner.s = &vx_structs[f->ref];
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
