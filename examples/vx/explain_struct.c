/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Structures and their fields. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "table.h"

/* A field, and how to get to it. */
struct place {
	const struct vx_struct *s;	/* that holds the field itself */
	size_t index;			/* of the field there */
	size_t offset;			/* from the start of the outermost structure */
	struct vx_field_info field;
	char *path;			/* "wr.rdma.rkey" */
};

struct words {
	const char *path;
	const char *says;
};

/* Sorted by path. */
static const struct words field_words[] = {
#define WORDS(path, says) { path, says },
#include "field_words.inc"
#undef WORDS
};

typedef bool (*predicate)(const struct vx_field_info *field);
typedef size_t (*visitor)(const struct place *place, void *data);

/* Whether a field is a structure itself. */
static bool is_struct(const struct vx_field_info *field)
{
	return field->s && !strchr(field->c_type, '*');
}

/* Whether a field is a structure that has no tag to be explained by. */
static bool is_part(const struct vx_field_info *field)
{
	struct vx_struct_info info;

	if (!is_struct(field))
		return false;
	vx_struct_describe(field->s, &info);
	return vx_struct_find(info.tag) != field->s;
}

/* Go to all fields of a structure, and into those that are to be. @return the sum of what the visits returned */
static size_t visit(const struct vx_struct *s, const struct place *around, predicate into, visitor enter, void *data)
{
	struct place at = { .s = s };
	size_t sum = 0;

	for (; vx_struct_field_at(s, at.index, &at.field); at.index++) {
		at.offset = (around ? around->offset : 0) + at.field.offset;
		at.path = need_text("%s%s%s", around ? around->path : "", around ? "." : "", at.field.name);
		sum += enter(&at, data);
		if (into(&at.field))
			sum += visit(at.field.s, &at, into, enter, data);
		free(at.path);
	}
	return sum;
}

/* What the value of a field is, beyond its type. */
static const char *reads_as(const struct vx_field_info *field)
{
	return field->e ? vx_enum_tag(field->e) : field->form;
}

static int order_of_words(const void *path, const void *words)
{
	return strcmp(path, ((const struct words *)words)->path);
}

static const char *says_of(const char *path)
{
	const struct words *found = bsearch(path, field_words, sizeof(field_words) / sizeof(field_words[0]),
					    sizeof(field_words[0]), order_of_words);

	return found ? found->says : own_words(path);
}

/* ---- structures ---- */

static const struct column field_columns[] = {
	{ "offset", NUMBER }, { "size", NUMBER }, { "type", TEXT }, { "name", TEXT }, { "since", NUMBER },
	{ "reads_as", TEXT }, { "valid_when", TEXT }, { "says", TEXT },
};

static int64_t whole_size(const struct vx_field_info *field)
{
	return field->count == SIZE_MAX ? 0 : (int64_t)(field->size * (field->count ? field->count : 1));
}

static void add_field(struct table *t, const struct place *at, const char *name, const char *says)
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
	if (at->field.since)
		table_number(t, at->field.since);
	else
		table_text(t, "");
	table_text(t, reads_as(&at->field));
	table_text(t, at->field.valid_when);
	table_text(t, says);
}

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
	struct listing listing = { tag, TABLE(r, "fields", field_columns) };

	visit(s, NULL, is_part, add_row, &listing);
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

static size_t explain_structs(struct report *r, const char *text, bool (*same)(const char *, const char *))
{
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, found = 0;

	for (i = 0; (s = vx_struct_get(i)); i++) {
		vx_struct_describe(s, &info);
		if (same(info.tag, text))
			found += put_struct(r, s);
	}
	return found;
}

size_t explain_struct(struct report *r, const char *text)
{
	return explain_structs(r, text, same_name);
}

size_t explain_short_struct(struct report *r, const char *text)
{
	return explain_structs(r, text, same_short_name);
}

/* ---- fields ---- */

/* What is looked for: a path, or a bare name wherever it is. */
struct search {
	struct report *r;
	const char *tag;
	const char *text;
	bool bare;
	struct table *table;		/* where what is found goes, if there is much */
};

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

/* Of a value as it is printed, "IBV_PORT_ACTIVE (4)", what its name says. */
static const char *meaning_within(const char *value)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, " "), value);
	return what_it_says(name);
}

static size_t put_field(struct report *r, const char *tag, const struct place *at, const char *value)
{
	const struct vx_field_info *field = &at->field;
	char *name = need_text("%s.%s", tag, at->path);

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
		report_text(r, "means", meaning_within(value));
	report_text(r, "valid_when", field->valid_when);
	report_since(r, field->since);
	report_text(r, "page", vx_man_page(tag));
	if (!value)
		put_codes(r, at);
	report_close(r);
	free(name);
	return 1;
}

static size_t put_if_found(const struct place *at, void *data)
{
	const struct search *search = data;

	if (!same_name(search->bare ? at->field.name : at->path, search->text))
		return 0;
	return put_field(search->r, search->tag, at, NULL);
}

size_t explain_field(struct report *r, const char *text)
{
	const char *dot = strchr(text, '.');
	struct search search = { .r = r };
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, found = 0;
	char *tag;

	if (!dot)
		return 0;
	search.text = dot + 1;
	tag = need_text("%.*s", (int)(dot - text), text);
	for (i = 0; (s = vx_struct_get(i)); i++) {
		vx_struct_describe(s, &info);
		search.tag = info.tag;
		if (same_name(info.tag, tag) || same_short_name(info.tag, tag))
			found += visit(s, NULL, is_struct, put_if_found, &search);
	}
	free(tag);
	return found;
}

/* Look for a bare name in all structures of programs. @return the sum of what the visits returned */
static size_t search_everywhere(struct search *search, visitor enter)
{
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, sum = 0;

	for (i = 0; (s = vx_struct_get(i)); i++) {
		vx_struct_describe(s, &info);
		search->tag = info.tag;
		if (!info.internal)
			sum += visit(s, NULL, is_part, enter, search);
	}
	return sum;
}

static size_t count_if_found(const struct place *at, void *data)
{
	const struct search *search = data;

	return same_name(at->field.name, search->text);
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
	struct table t = TABLE(search->r, "fields", field_columns);
	size_t found;

	report_item(search->r, "field", search->text);
	search->table = &t;
	found = search_everywhere(search, add_if_found);
	table_end(&t);
	report_close(search->r);
	return found;
}

size_t explain_field_name(struct report *r, const char *text)
{
	struct search search = { .r = r, .text = text, .bare = true };

	if (search_everywhere(&search, count_if_found) > 1)
		return put_all_found(&search);
	return search_everywhere(&search, put_if_found);
}

bool has_field(const char *name)
{
	struct search search = { .text = name, .bare = true };

	return search_everywhere(&search, count_if_found);
}

/* ---- values of fields ---- */

struct reading {
	struct search search;
	uint64_t value;
	char seen[8][128];		/* what fields of this name made of it, each once */
	size_t count;
};

static bool is_seen(struct reading *reading, const char *text)
{
	size_t i;

	for (i = 0; i < reading->count; i++)
		if (!strcmp(reading->seen[i], text))
			return true;
	if (reading->count == sizeof(reading->seen) / sizeof(reading->seen[0]))
		return true;
	snprintf(reading->seen[reading->count++], sizeof(reading->seen[0]), "%s", text);
	return false;
}

/* A field by its path or its name, or by what all fields of its kind are: "link_speed", "rnr_timer". */
static bool is_meant(const struct search *search, const struct place *at)
{
	if (!search->bare)
		return same_name(at->path, search->text);
	return same_name(at->field.name, search->text) || same_name(reads_as(&at->field), search->text);
}

static size_t put_value_if_found(const struct place *at, void *data)
{
	struct reading *reading = data;
	char text[128];

	if (!is_meant(&reading->search, at) ||
	    !vx_struct_field_snprint(text, sizeof(text), at->s, at->index, reading->value) ||
	    !text[strspn(text, "0123456789")] || is_seen(reading, text))
		return 0;
	return put_field(reading->search.r, reading->search.tag, at, text);
}

size_t explain_field_value(struct report *r, const char *field, const char *text)
{
	const char *dot = strchr(field, '.');
	char *tag = need_text("%.*s", dot ? (int)(dot - field) : 0, field);
	struct reading reading = { .search = { .r = r, .text = dot ? dot + 1 : field, .bare = !dot } };
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, found = 0;
	char *end;

	errno = 0;
	reading.value = strtoull(text, &end, 0);
	if (end == text || *end || errno) {
		free(tag);
		return 0;
	}
	for (i = 0; (s = vx_struct_get(i)); i++) {
		vx_struct_describe(s, &info);
		reading.search.tag = info.tag;
		if (!info.internal && (!dot || same_name(info.tag, tag) || same_short_name(info.tag, tag)))
			found += visit(s, NULL, is_part, put_value_if_found, &reading);
	}
	free(tag);
	return found;
}
