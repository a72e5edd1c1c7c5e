/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Fields, and how to get to them. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

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

/* All of them, until the program ends. */
const struct vx_struct *struct_at(size_t index)
{
	static const struct vx_struct **all;
	static size_t count;

	if (!all) {
		while (vx_struct_at(count))
			count++;
		all = need_memory(NULL, (count + 1) * sizeof(*all));
		for (count = 0; (all[count] = vx_struct_at(count)); count++)
			;
	}
	return index < count ? all[index] : NULL;
}

bool is_struct(const struct vx_field_info *field)
{
	return field->s && !strchr(field->c_type, '*');
}

bool is_part(const struct vx_field_info *field)
{
	struct vx_struct_info info;

	if (!is_struct(field))
		return false;
	vx_struct_describe(field->s, &info);
	return vx_struct_find(info.tag) != field->s;
}

static size_t visit_within(const struct vx_struct *s, const struct place *around, predicate into, visitor enter, void *data)
{
	struct place at = { .s = s };
	size_t sum = 0;

	for (; vx_struct_field_at(s, at.index, &at.field); at.index++) {
		at.offset = (around ? around->offset : 0) + at.field.offset;
		at.path = need_text("%s%s%s", around ? around->path : "", around ? "." : "", at.field.name);
		sum += enter(&at, data);
		if (into(&at.field))
			sum += visit_within(at.field.s, &at, into, enter, data);
		free(at.path);
	}
	return sum;
}

size_t visit(const struct vx_struct *s, predicate into, visitor enter, void *data)
{
	return visit_within(s, NULL, into, enter, data);
}

const char *reads_as(const struct vx_field_info *field)
{
	return field->e ? vx_enum_tag(field->e) : field->form;
}

static int order_of_words(const void *path, const void *words)
{
	return strcmp(path, ((const struct words *)words)->path);
}

const char *says_of(const char *path)
{
	const struct words *found = bsearch(path, field_words, sizeof(field_words) / sizeof(field_words[0]),
					    sizeof(field_words[0]), order_of_words);

	return found ? found->says : own_words(path);
}

/* Lines of logs, which are tried as names as well, mostly are none. */
static bool is_name(const char *text)
{
	for (; isalnum((unsigned char)*text) || *text == '_'; text++)
		;
	return !*text;
}

size_t search_everywhere(struct search *search, visitor enter)
{
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i, sum = 0;

	for (i = 0; is_name(search->text) && (s = struct_at(i)); i++) {
		vx_struct_describe(s, &info);
		search->tag = info.tag;
		if (!info.internal)
			sum += visit(s, is_part, enter, search);
	}
	return sum;
}
