/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Fields, by their path or their name alone. */

#include <stdlib.h>
#include <string.h>

#include "explain_range.h"

const struct column field_columns[] = {
	{ "offset", NUMBER }, { "size", NUMBER }, { "type", TEXT }, { "name", TEXT }, { "since", NUMBER },
	{ "reads_as", TEXT }, { "valid_when", TEXT }, { "says", TEXT },
};

static int64_t whole_size(const struct vx_field_info *field)
{
	return field->count == SIZE_MAX ? 0 : (int64_t)(field->size * (field->count ? field->count : 1));
}

void add_field(struct table *t, const struct place *at, const char *name, const char *says)
{
	if (at->field.size) {
		table_number(t, (int64_t)at->offset);
		table_number(t, whole_size(&at->field));
	} else {
		table_text(t, "");
		table_text(t, "");
	}
	table_text(t, at->field.c_type);
	table_text(t, name);
	table_since(t, at->field.since);
	table_text(t, reads_as(&at->field));
	table_text(t, at->field.valid_when);
	table_text(t, says);
}

static void put_codes(struct report *r, const struct place *at)
{
	static const struct column columns[] = {
		{ "value", NUMBER }, { "text", TEXT },
	};
	struct table t = TABLE(r, "values", columns);
	const char *text;
	uint64_t value;
	size_t i;

	for (i = 0; vx_struct_field_code_at(at->s, at->index, i, &value, &text); i++) {
		table_number(&t, (int64_t)value);
		table_text(&t, text);
	}
	table_end(&t);
}

/* Of a field within a structure that has a tag of its own: what that says. */
static const char *says_of_place(const char *name, const struct place *at)
{
	const char *says = says_of(name);
	struct vx_struct_info info;
	char *own;

	if (*says)
		return says;
	vx_struct_describe(at->s, &info);
	own = need_text("%s.%s", info.tag, at->field.name);
	says = says_of(own);
	free(own);
	return says;
}

/* Of a value as it is printed, "IBV_PORT_ACTIVE (4)", what its name means. */
static void put_meaning(struct report *r, const char *value)
{
	struct vx_meaning meaning;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, " "), value);
	if (!vx_meaning_of(name, &meaning))
		return;
	report_text(r, "means", meaning.says);
	report_text(r, "causes", meaning.causes);
	report_text(r, "remedy", meaning.remedy);
}

size_t put_field(struct report *r, const char *tag, const struct place *at, const char *value)
{
	const struct vx_field_info *field = &at->field;
	char *name = need_text("%s.%s", tag, at->path), *range = range_of(tag, at);

	report_item(r, "field", name);
	report_label(r, strlen("valid_when"));
	report_text(r, "says", says_of_place(name, at));
	report_text(r, "type", field->c_type);
	if (field->size) {
		report_number(r, "offset", (int64_t)at->offset);
		report_number(r, "size", whole_size(field));
	}
	report_text(r, "reads_as", reads_as(field));
	if (value)
		report_text(r, "value", value);
	if (value && field->e)
		put_meaning(r, value);
	report_text(r, "range", range);
	report_text(r, "valid_when", field->valid_when);
	report_since(r, field->since);
	report_text(r, "page", vx_man_page(tag));
	if (!value)
		put_codes(r, at);
	report_close(r);
	free(range);
	free(name);
	return 1;
}

static char *not_understood(const char *said)
{
	return said ? need_text("%s (not understood)", said) : NULL;
}

/* A value that is not explained is not passed over: it may be misspelled. */
static size_t put_with_unknown(const struct search *search, const struct place *at)
{
	const struct vx_enum_info *e = at->field.e;
	char *value = search->said && e ? need_text("%s is unknown: no value of %s", search->said, vx_enum_tag(e))
					: not_understood(search->said);
	size_t found = put_field(search->r, search->tag, at, value);

	free(value);
	return found;
}

static size_t put_if_found(const struct place *at, void *data)
{
	const struct search *search = data;

	if (!same_name(search->bare ? at->field.name : at->path, search->text))
		return 0;
	return put_with_unknown(search, at);
}

static size_t explain_path(struct report *r, const char *text, const char *said)
{
	const char *dot = strchr(text, '.');
	struct search search = { .r = r, .said = said };
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, found = 0;
	char *tag;

	if (!dot)
		return 0;
	search.text = dot + 1;
	tag = need_text("%.*s", (int)(dot - text), text);
	for (i = 0; (s = struct_at(i)); i++) {
		vx_struct_describe(s, &info);
		search.tag = info.tag;
		if (same_name(info.tag, tag) || same_short_name(info.tag, tag))
			found += visit(s, is_struct, put_if_found, &search);
	}
	free(tag);
	return found;
}

static bool is_own(const struct search *search)
{
	return !strncmp(search->tag, "vx_", strlen("vx_"));
}

static size_t count_if_found(const struct place *at, void *data)
{
	const struct search *search = data;

	return same_name(at->field.name, search->text);
}

static size_t count_if_theirs(const struct place *at, void *data)
{
	return !is_own(data) && count_if_found(at, data);
}

static size_t put_if_theirs(const struct place *at, void *data)
{
	return is_own(data) ? 0 : put_if_found(at, data);
}

static size_t add_if_found(const struct place *at, void *data)
{
	const struct search *search = data;
	char *name;

	if (!same_name(at->field.name, search->text))
		return 0;
	name = need_text("%s.%s", search->tag, at->path);
	add_field(search->table, at, name, says_of_place(name, at));
	free(name);
	return 1;
}

static size_t put_all_found(struct search *search)
{
	struct table t = table_of(search->r, "fields", field_columns, FIELD_COLUMNS);
	char *value = not_understood(search->said);
	size_t found;

	report_item(search->r, "field", search->text);
	search->table = &t;
	found = search_everywhere(search, add_if_found);
	table_end(&t);
	report_text(search->r, "value", value);
	report_close(search->r);
	free(value);
	return found;
}

/* Where one structure of rdma-core has it, that is what is meant: those of libverbsx are there to fill it. */
static size_t explain_name(struct report *r, const char *text, const char *said)
{
	struct search search = { .r = r, .text = text, .said = said, .bare = true };

	if (search_everywhere(&search, count_if_theirs) == 1)
		return search_everywhere(&search, put_if_theirs);
	if (search_everywhere(&search, count_if_found) > 1)
		return put_all_found(&search);
	return search_everywhere(&search, put_if_found);
}

size_t explain_field(struct report *r, const char *text)
{
	return explain_path(r, text, NULL);
}

size_t explain_field_name(struct report *r, const char *text)
{
	return explain_name(r, text, NULL);
}

size_t explain_field_said(struct report *r, const char *text, const char *said)
{
	return explain_path(r, text, said) + explain_name(r, text, said);
}

bool has_field(const char *name)
{
	struct search search = { .text = name, .bare = true };

	return search_everywhere(&search, count_if_found);
}
