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

bool is_name(const char *text)
{
	for (; isalnum((unsigned char)*text) || *text == '_'; text++)
		;
	return !*text;
}

/* A field of a structure of programs, by the tag of the outermost. */
struct known {
	const char *tag;
	struct place at;
	bool reads;		/* its numbers have texts */
};

static struct {
	struct known *all;	/* in the order of visit(); until the program ends */
	size_t count;
} known;

static size_t keep(const struct place *at, void *data)
{
	const char *tag = data, *text;
	uint64_t code;

	if (!(known.count & (known.count - 1)))	/* full: there is room for a power of two */
		known.all = need_memory(known.all, (known.count ? 2 * known.count : 1) * sizeof(*known.all));
	known.all[known.count] = (struct known){ tag, *at, vx_struct_field_code_at(at->s, at->index, 0, &code, &text) };
	known.all[known.count++].at.path = need_text("%s", at->path);
	return 0;
}

/* Once: a log has thousands of lines, and all fields are looked through several times for each. */
static void keep_all(void)
{
	struct vx_struct_info info;
	const struct vx_struct *s;
	size_t i;

	for (i = 0; (s = struct_at(i)); i++) {
		vx_struct_describe(s, &info);
		if (!info.internal)
			visit(s, is_part, keep, (void *)info.tag);
	}
}

size_t search_in(struct search *search, const char *tag, visitor enter)
{
	const struct known *row;
	size_t i, sum = 0;

	if (!known.count)
		keep_all();
	for (i = 0; i < known.count; i++) {
		row = &known.all[i];
		if ((search->by_text && !row->reads) ||
		    (*tag && !same_name(row->tag, tag) && !same_short_name(row->tag, tag)))
			continue;
		search->tag = row->tag;
		sum += enter(&row->at, search);
	}
	return sum;
}

size_t search_everywhere(struct search *search, visitor enter)
{
	return is_name(search->text) ? search_in(search, "", enter) : 0;
}
