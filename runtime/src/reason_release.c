/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Values that are of a newer rdma-core than the one that runs. */

#include "reason.h"

struct search {
	struct vx_reason *reason;
	uint64_t mask;
	unsigned int running;
};

static bool is_set(const struct vx_field *f, const struct vx_enum_row *row, uint64_t value)
{
	uint64_t own = (uint64_t)vx_row_value(row);

	if (f->kind == VX_KIND_ENUM)
		return value == own;
	return own && (value & own) == own;
}

static void check_value(const struct search *search, const struct vx_field *f, const unsigned char *at)
{
	const struct vx_enum *e = &vx_enums[f->ref];
	const struct vx_enum_row *row = &vx_enum_rows[e->row], *end = row + e->rows;
	uint64_t value = vx_read_field(f, at);

	for (; row < end; row++)
		if (row->since > search->running && !(row->flags & VX_ENUMERATOR_ALIAS) && is_set(f, row, value))
			vx_reason_add(search->reason, "%s of %s needs rdma-core %u, and %u is running",
				      vx_enum_names + row->name, vx_struct_names + f->name, row->since, search->running);
}

static void check_fields(const struct search *search, struct vx_view view)
{
	unsigned int i;

	for (i = 0; i < view.s->fields; i++) {
		const struct vx_field *f = vx_field_of(view.s, i);
		const unsigned char *at = vx_view_at(&view, f->offset, f->size);
		struct vx_view inner = view;

		if (!at || f->count || f->kind == VX_KIND_ABSENT || !vx_rule_holds(&view, f->rule, search->mask))
			continue;
		if (f->kind == VX_KIND_ENUM || f->kind == VX_KIND_FLAGS)
			check_value(search, f, at);
		if (f->kind != VX_KIND_STRUCT)
			continue;
		inner.s = &vx_structs[f->ref];
		inner.start += f->offset;
		check_fields(search, inner);
	}
}

void vx_reason_of_release(struct vx_reason *reason, const struct vx_request *request, unsigned int running)
{
	const struct search search = { .reason = reason, .mask = request->mask, .running = running };

	if (running && request->type.desc)
		check_fields(&search, vx_view_of(request->type, request->attr));
}
