/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Values of fields: "timeout" and "14". */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

struct attempt {
	struct search search;
	uint64_t value;
	char seen[8][128];		/* what fields of this name made of it, each once */
	size_t count;
};

static bool is_seen(struct attempt *attempt, const char *text)
{
	size_t i;

	for (i = 0; i < attempt->count; i++)
		if (!strcmp(attempt->seen[i], text))
			return true;
	if (attempt->count == sizeof(attempt->seen) / sizeof(attempt->seen[0]))
		return true;
	snprintf(attempt->seen[attempt->count++], sizeof(attempt->seen[0]), "%s", text);
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
	struct attempt *attempt = data;
	char text[128];

	if (!is_meant(&attempt->search, at) ||
	    !vx_struct_field_snprint(text, sizeof(text), at->s, at->index, attempt->value) ||
	    !text[strspn(text, "0123456789")] || is_seen(attempt, text))
		return 0;
	return put_field(attempt->search.r, attempt->search.tag, at, text);
}

size_t explain_field_value(struct report *r, const char *field, const char *text)
{
	const char *dot = strchr(field, '.');
	char *tag = need_text("%.*s", dot ? (int)(dot - field) : 0, field);
	struct attempt attempt = { .search = { .r = r, .text = dot ? dot + 1 : field, .bare = !dot } };
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, found = 0;
	char *end;

	errno = 0;
	attempt.value = strtoull(text, &end, 0);
	if (end == text || *end || errno) {
		free(tag);
		return 0;
	}
	for (i = 0; (s = vx_struct_get(i)); i++) {
		vx_struct_describe(s, &info);
		attempt.search.tag = info.tag;
		if (!info.internal && (!dot || same_name(info.tag, tag) || same_short_name(info.tag, tag)))
			found += visit(s, is_part, put_value_if_found, &attempt);
	}
	free(tag);
	return found;
}
