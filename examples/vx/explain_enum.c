/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Enums as a whole, and enumerators by name. */

#include <stdlib.h>
#include <string.h>

#include <verbsx/error.h>

#include "explain.h"
#include "table.h"

static const char *kind_word(const struct vx_enum_info *e)
{
	static const char words[][8] = { "values", "flags", "mixed" };

	return words[vx_enum_kind_of(e)];
}

static const char *note_of(const struct vx_enumerator *at)
{
	if (at->flags & VX_ENUMERATOR_ALIAS)
		return "alias";
	if (at->flags & VX_ENUMERATOR_COMPOSITE)
		return "several flags";
	if (at->flags & VX_ENUMERATOR_SENTINEL)
		return "no valid value";
	return "";
}

static void put_enumerators(struct report *r, const struct vx_enum_info *e)
{
	bool flags = vx_enum_kind_of(e) == VX_ENUM_FLAGS;
	const struct column columns[] = {
		{ "value", flags ? HEX : NUMBER }, { "name", TEXT }, { "since", NUMBER }, { "note", TEXT },
		{ "says", TEXT },
	};
	struct table t = TABLE(r, "enumerators", columns);
	struct vx_enumerator at;
	size_t i;

	for (i = 0; vx_enumerator_at(e, i, &at); i++) {
		table_number(&t, at.value);
		table_text(&t, at.name);
		table_since(&t, at.since);
		table_text(&t, note_of(&at));
		table_text(&t, what_it_says(at.name));
	}
	table_end(&t);
}

static size_t put_enum(struct report *r, const struct vx_enum_info *e)
{
	report_item(r, "enum", vx_enum_tag(e));
	report_text(r, "holds", kind_word(e));
	report_text(r, "page", vx_man_page(vx_enum_tag(e)));
	put_enumerators(r, e);
	report_close(r);
	return 1;
}

static size_t put_enumerator(struct report *r, const struct vx_enum_info *e, const struct vx_enumerator *at)
{
	struct vx_meaning meaning;

	report_item(r, "enumerator", at->name);
	report_text(r, "enum", vx_enum_tag(e));
	if (vx_enum_kind_of(e) == VX_ENUM_FLAGS)
		report_hex(r, "value", (uint64_t)at->value);
	else
		report_number(r, "value", at->value);
	report_text(r, "note", note_of(at));
	if (vx_meaning_of(at->name, &meaning))
		report_meaning(r, &meaning);
	report_since(r, at->since);
	report_text(r, "page", vx_man_page(vx_enum_tag(e)));
	report_close(r);
	return 1;
}

size_t explain_enum(struct report *r, const char *text)
{
	const struct vx_enum_info *e;
	size_t i, found = 0;

	for (i = 0; (e = vx_enum_at(i)); i++)
		if (same_name(vx_enum_tag(e), text))
			found += put_enum(r, e);
	return found;
}

const struct vx_enum_info *enum_called(const char *text)
{
	const struct vx_enum_info *e;
	size_t i;

	for (i = 0; (e = vx_enum_at(i)); i++)
		if (same_name(vx_enum_tag(e), text))
			return e;
	for (i = 0; (e = vx_enum_at(i)); i++)
		if (same_short_name(vx_enum_tag(e), text))
			return e;
	return NULL;
}

size_t explain_enumerator(struct report *r, const char *text)
{
	struct vx_enumerator at;
	const struct vx_enum_info *e;
	size_t i, j, found = 0;

	for (i = 0; (e = vx_enum_at(i)); i++)
		for (j = 0; vx_enumerator_at(e, j, &at); j++)
			if (same_name(at.name, text))
				found += put_enumerator(r, e, &at);
	return found;
}

size_t explain_ending(struct report *r, const struct vx_enum_info *e, const char *text)
{
	struct vx_enumerator at;
	size_t i, found = 0;
	const char *end;

	for (i = 0; vx_enumerator_at(e, i, &at); i++) {
		end = strlen(at.name) > strlen(text) ? at.name + strlen(at.name) - strlen(text) : at.name;
		if (end > at.name && end[-1] == '_' && *text && same_name(end, text))
			found += put_enumerator(r, e, &at);
	}
	return found;
}

/* The enumerator that gives a value its name. */
static bool enumerator_of(const struct vx_enum_info *e, int64_t value, struct vx_enumerator *out)
{
	const char *name = vx_enum_name(e, value);
	size_t i;

	for (i = 0; name && vx_enumerator_at(e, i, out); i++)
		if (!strcmp(out->name, name))
			return true;
	return false;
}

/* A part of a value, in the words of vx_enum_snprint(): a name, or the bits that have none. */
static void add_part(struct table *t, const struct vx_enum_info *e, const char *part)
{
	struct vx_enumerator at;
	int64_t value = 0;

	vx_enum_parse(e, part, &value);
	table_number(t, value);
	if (enumerator_of(e, value, &at)) {
		table_text(t, at.name);
		table_since(t, at.since);
		table_text(t, what_it_says(at.name));
	} else {
		table_text(t, "");
		table_text(t, "");
		table_text(t, "no flag of this enum");
	}
}

static void put_parts(struct report *r, const struct vx_enum_info *e, char *text)
{
	static const struct column columns[] = {
		{ "value", HEX }, { "name", TEXT }, { "since", NUMBER }, { "says", TEXT },
	};
	struct table t = TABLE(r, "flags", columns);
	char *part;

	while ((part = strsep(&text, "|")))
		if (strcmp(part, "0"))
			add_part(&t, e, part);
	table_end(&t);
}

static size_t put_word(struct report *r, const struct vx_enum_info *e, int64_t value)
{
	size_t size = vx_enum_snprint(NULL, 0, e, value) + 1;
	char *text = need_memory(NULL, size);

	vx_enum_snprint(text, size, e, value);
	report_item(r, "value", text);
	report_text(r, "enum", vx_enum_tag(e));
	report_hex(r, "value", (uint64_t)value);
	report_text(r, "page", vx_man_page(vx_enum_tag(e)));
	put_parts(r, e, text);
	report_close(r);
	free(text);
	return 1;
}

size_t explain_value(struct report *r, const struct vx_enum_info *e, int64_t value)
{
	struct vx_enumerator at;

	if (enumerator_of(e, value, &at))
		return put_enumerator(r, e, &at);
	return vx_enum_kind_of(e) == VX_ENUM_VALUES ? 0 : put_word(r, e, value);
}

size_t explain_word(struct report *r, const char *text)
{
	const struct vx_enum_info *e;
	size_t i, found = 0;
	int64_t value;

	for (i = 0; (e = vx_enum_at(i)); i++)
		if (vx_enum_parse(e, text, &value) == 0)
			found += explain_value(r, e, value);
	vx_error_clear();
	return found;
}
