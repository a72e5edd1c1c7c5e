/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Structures as a whole. */

#include <stdlib.h>

#include "place.h"

struct listing {
	const char *tag;
	struct table table;
};

static size_t add_row(const struct place *at, void *data)
{
	struct listing *listing = data;
	char *name = need_text("%s.%s", listing->tag, at->path);

	add_field(&listing->table, at, at->path, says_of(name));
	free(name);
	return 1;
}

static void put_fields(struct report *r, const char *tag, const struct vx_struct *s)
{
	struct listing listing = { tag, table_of(r, "fields", field_columns, FIELD_COLUMNS) };

	visit(s, is_part, add_row, &listing);
	table_end(&listing.table);
}

static size_t put_struct(struct report *r, const struct vx_struct *s)
{
	struct vx_struct_info info;

	vx_struct_describe(s, &info);
	report_item(r, info.is_union ? "union" : "struct", info.tag);
	report_text(r, "says", own_words(info.tag));
	if (info.size)
		report_number_as(r, "size", (int64_t)info.size, "%zu bytes", info.size);
	report_since(r, info.since);
	report_text(r, "note", info.internal ? "internal to rdma-core" : "");
	report_text(r, "page", vx_man_page(info.tag));
	put_fields(r, info.tag, s);
	report_close(r);
	return 1;
}

size_t explain_struct(struct report *r, const char *text)
{
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, found = 0;

	for (i = 0; (s = struct_at(i)); i++) {
		vx_struct_describe(s, &info);
		if (same_name(info.tag, text))
			found += put_struct(r, s);
	}
	return found;
}
