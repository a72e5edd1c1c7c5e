/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * The tables of this libverbsx as text, a line each:
 *
 *	enum TAG
 *	enumerator NAME VALUE SINCE macro|enumerator
 *	struct|union TAG SIZE SINCE
 *	field|absent PATH OFFSET SIZE COUNT SINCE
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "know/tables.h"

#define LONGEST_PATH 256

static void dump_enum(const struct vx_enum_info *e)
{
	struct vx_enumerator at;
	size_t i;

	printf("enum %s\n", vx_enum_tag(e));
	for (i = 0; vx_enumerator_at(e, i, &at); i++)
		printf("enumerator %s %" PRId64 " %u %s\n", at.name, at.value, at.since,
		       at.flags & VX_ENUMERATOR_MACRO ? "macro" : "enumerator");
}

/* "-" for what is no array; 0 for an array without a length. */
static void dump_count(unsigned int count)
{
	if (count)
		printf(" %u", count == VX_FLEXIBLE ? 0 : count);
	else
		printf(" -");
}

/* A nested structure without a tag counts from where it begins itself. */
static void dump_fields(const struct vx_struct *s, const char *path, unsigned int start)
{
	const struct vx_field *f = vx_field_row(s->field);
	const struct vx_field *first = f, *end = f + s->fields;
	char name[LONGEST_PATH];

	for (; f < end; f++) {
		snprintf(name, sizeof(name), "%s%s", path, vx_struct_text(f->name));
		printf("%s %s %u %u", f->kind == VX_KIND_ABSENT ? "absent" : "field", name, start + f->offset, f->size);
		dump_count(f->count);
		printf(" %u\n", vx_field_notes[vx_field_note_of[s->field + (f - first)]].since);
		if (f->kind != VX_KIND_STRUCT || !(vx_struct_row(f->ref)->flags & VX_STRUCT_NESTED))
			continue;
		snprintf(name, sizeof(name), "%s%s.", path, vx_struct_text(f->name));
		dump_fields(vx_struct_row(f->ref), name, start + f->offset);
	}
}

static void dump_struct(const struct vx_struct *s)
{
	printf("%s %s %u %u\n", s->flags & VX_STRUCT_UNION ? "union" : "struct", vx_struct_text(s->name), s->size,
	       s->since);
	dump_fields(s, "", 0);
}

int main(void)
{
	const struct vx_enum_info *e;
	size_t i;

	for (i = 0; (e = vx_enum_at(i)); i++)
		dump_enum(e);
	for (i = 0; i < vx_struct_count; i++)
		if (!(vx_struct_row(i)->flags & VX_STRUCT_NESTED))
			dump_struct(vx_struct_row(i));
	return 0;
}
