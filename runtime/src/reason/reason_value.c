/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Values that nobody knows, or only a newer rdma-core than the one that runs. */

#include <errno.h>

#include "ids.h"
#include "reason.h"
#include "text/printer.h"

struct search {
	struct vx_failure *failure;
	uint64_t mask;
	unsigned int running;	/* 0: not known */
	bool refused;		/* so what is not known may be why */
};

static void add_unknown(const struct search *search, const char *name, const struct vx_enum_info *e, bool flags, uint64_t unknown)
{
	const struct vx_enum_row *meant = flags ? NULL : vx_enum_row_naming(e, unknown);

	vx_reason_add(search->failure, flags ? "%s has 0x%llx, which is none of enum %s" : "%s = %lld is none of enum %s", name,
		      (long long)unknown, vx_enum_names + e->tag);
	if (meant)
		vx_put_format(&search->failure->out, ": %s is %lld", vx_enum_names + meant->name, (long long)vx_row_value(meant));
}

static void check_value(const struct search *search, const char *name, const struct vx_enum_info *e, bool flags, uint64_t value)
{
	const struct vx_enum_row *row = &vx_enum_rows[e->row], *end = row + e->rows;
	uint64_t own, unknown = value; /* only zero is left of a value that is known */

	for (; row < end; row++) {
		own = (uint64_t)vx_row_value(row);
		if (flags ? !own || (value & own) != own : value != own)
			continue;
		unknown &= flags ? ~own : 0;
		if (search->running && row->since > search->running && !(row->flags & VX_ENUMERATOR_ALIAS))
			vx_reason_add(search->failure, "%s of %s needs rdma-core %u, and %u is running", vx_enum_names + row->name,
				      name, row->since, search->running);
	}
	if (e == &vx_enums[ENUM_ibv_access_flags])
		unknown &= ~(uint64_t)IBV_ACCESS_OPTIONAL_RANGE; /* providers may ignore these */
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
		check_value(search, vx_struct_text(f->name), e, false, vx_read_field(f, at));
	else if (f->kind == VX_KIND_FLAGS && f->ref < vx_enum_count)
		check_value(search, vx_struct_text(f->name), &vx_enums[f->ref], true, vx_read_field(f, at));
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
		inner.s = vx_struct_row(f->ref);
		inner.start += f->offset;
		check_fields(search, inner);
	}
}

void vx_reason_of_values(struct vx_failure *failure, const struct vx_subject *subject, unsigned int running)
{
	const struct search search = {
		.failure = failure, .mask = subject->mask, .running = running,
		.refused = failure->code == -EINVAL || failure->code == -EOPNOTSUPP || failure->code == -ENOSYS,
	};

	check_fields(&search, subject->view);
}
