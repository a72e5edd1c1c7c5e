/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Values that nobody knows, or only a newer rdma-core than the one that runs. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reason.h"

struct search {
	struct vx_reason *reason;
	uint64_t mask;
	unsigned int running;	/* 0: not known */
	bool refused;		/* so what is not known may be why */
};

static bool is_set(const struct vx_enum_row *row, bool flags, uint64_t value)
{
	uint64_t own = (uint64_t)vx_row_value(row);

	return flags ? own && (value & own) == own : value == own;
}

static void add_newer(const struct search *search, const char *name, const struct vx_enum_row *row)
{
	vx_reason_add(search->reason, "%s of %s needs rdma-core %u, and %u is running", vx_enum_names + row->name, name,
		      row->since, search->running);
}

/* Only zero is left of a value that is known. */
static uint64_t unknown_part(const struct vx_enum_info *e, bool flags, uint64_t value)
{
	const struct vx_enum_row *row = &vx_enum_rows[e->row], *end = row + e->rows;

	for (; row < end; row++)
		if (is_set(row, flags, value))
			value &= flags ? ~(uint64_t)vx_row_value(row) : 0;
	return value;
}

/* The enumerator that has a number at the end of its name, as IBV_MTU_1024 has one that is not its value. */
static const struct vx_enum_row *named_by(const struct vx_enum_info *e, uint64_t number)
{
	const struct vx_enum_row *row = &vx_enum_rows[e->row], *end = row + e->rows;
	char tail[24];
	size_t length = (size_t)snprintf(tail, sizeof(tail), "_%llu", (unsigned long long)number);

	for (; row < end; row++) {
		const char *name = vx_enum_names + row->name;
		size_t whole = strlen(name);

		if (whole > length && !strcmp(name + whole - length, tail))
			return row;
	}
	return NULL;
}

static void add_unknown_value(const struct search *search, const char *name, const struct vx_enum_info *e, uint64_t value)
{
	const struct vx_enum_row *meant = named_by(e, value);

	vx_reason_add(search->reason, "%s = %lld is none of enum %s", name, (long long)value, vx_enum_names + e->tag);
	if (!meant)
		return;
	vx_put_literal(&search->reason->out, ": ");
	vx_put_string(&search->reason->out, vx_enum_names + meant->name);
	vx_put_literal(&search->reason->out, " is ");
	vx_put_unsigned(&search->reason->out, (uint64_t)vx_row_value(meant));
}

static void add_unknown(const struct search *search, const char *name, const struct vx_enum_info *e, bool flags, uint64_t unknown)
{
	if (flags)
		vx_reason_add(search->reason, "%s has 0x%llx, which is none of enum %s", name, (unsigned long long)unknown,
			      vx_enum_names + e->tag);
	else
		add_unknown_value(search, name, e, unknown);
}

static void check_value(const struct search *search, const char *name, const struct vx_enum_info *e, bool flags, uint64_t value)
{
	const struct vx_enum_row *row = &vx_enum_rows[e->row], *end = row + e->rows;
	uint64_t unknown = unknown_part(e, flags, value);

	for (; search->running && row < end; row++)
		if (row->since > search->running && !(row->flags & VX_ENUMERATOR_ALIAS) && is_set(row, flags, value))
			add_newer(search, name, row);
	if (unknown && search->refused)
		add_unknown(search, name, e, flags, unknown);
}

const struct vx_enum_info *vx_reason_enum(const struct vx_field *f)
{
	if (f->kind == VX_KIND_CODE && vx_codes[f->ref].e)
		return &vx_enums[vx_codes[f->ref].e - 1];
	return f->kind == VX_KIND_ENUM ? &vx_enums[f->ref] : NULL;
}

static void check_field(const struct search *search, const struct vx_field *f, const unsigned char *at)
{
	const struct vx_enum_info *e = vx_reason_enum(f);

	if (e)
		check_value(search, vx_struct_names + f->name, e, false, vx_read_field(f, at));
	else if (f->kind == VX_KIND_FLAGS)
		check_value(search, vx_struct_names + f->name, &vx_enums[f->ref], true, vx_read_field(f, at));
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
		check_field(search, f, at);
		if (f->kind != VX_KIND_STRUCT)
			continue;
		inner.s = &vx_structs[f->ref];
		inner.start += f->offset;
		check_fields(search, inner);
	}
}

static struct search search_of(struct vx_reason *reason, const struct vx_request *request, unsigned int running)
{
	return (struct search){
		.reason = reason, .mask = request->mask, .running = running,
		.refused = request->code == -EINVAL || request->code == -EOPNOTSUPP || request->code == -ENOSYS,
	};
}

void vx_reason_of_values(struct vx_reason *reason, const struct vx_request *request, unsigned int running)
{
	const struct search search = search_of(reason, request, running);

	if (request->type.desc)
		check_fields(&search, vx_view_of(request->type, request->attr));
}

void vx_reason_of_flags(struct vx_reason *reason, const struct vx_request *request, unsigned int running, const char *name,
			const struct vx_enum_info *e, uint64_t value)
{
	const struct search search = search_of(reason, request, running);

	check_value(&search, name, e, true, value);
}
