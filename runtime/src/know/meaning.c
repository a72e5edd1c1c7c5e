/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What enumerators and errnos mean, where things are documented, and what stands for a function. */

#include <stdlib.h>
#include <string.h>

#include <verbsx/describe.h>

#include "tables.h"
#include "text/form.h"
#include "text/give.h"
#include "text/nearest.h"

#define HIGHEST_ERRNO 4095	/* as the kernel has it */

bool vx_enumerator_find_sized(const char *name, const struct vx_enum_info **e, struct vx_enumerator *out, size_t size)
{
	struct vx_enumerator at;
	size_t i, j;

	for (i = 0; name && i < vx_enum_count; i++)
		for (j = 0; vx_enumerator_at(&vx_enums[i], j, &at); j++) {
			if (strcmp(at.name, name))
				continue;
			if (e)
				*e = &vx_enums[i];
			return VX_GIVE(out, size, &at);
		}
	return false;
}

static const char *next_text(const char *text)
{
	return text + strlen(text) + 1;
}

static struct vx_meaning meaning_at(const char *says)
{
	const char *causes = next_text(says);

	return (struct vx_meaning){ .says = says, .causes = causes, .remedy = next_text(causes) };
}

static int order_of_meaning(const void *name, const void *row)
{
	return strcmp(name, vx_enum_names + ((const struct vx_meaning_row *)row)->name);
}

bool vx_meaning_of_sized(const char *enumerator, struct vx_meaning *out, size_t size)
{
	const struct vx_meaning_row *row;
	struct vx_meaning meaning;

	if (!enumerator)
		return false;
	row = bsearch(enumerator, vx_meanings, vx_meaning_count, sizeof(*row), order_of_meaning);
	if (!row)
		return false;
	meaning = meaning_at(vx_text_at(row->texts));
	return VX_GIVE(out, size, &meaning);
}

/* Of an errno that means the same here as everywhere else only the name is known. */
bool vx_errno_of_sized(int code, struct vx_errno_info *out, size_t size)
{
	struct vx_errno_info info = { code < 0 && code >= -HIGHEST_ERRNO ? -code : code, NULL, "", "", "" };
	struct vx_meaning meaning;
	size_t i;

	info.name = vx_errno_word(info.code);
	for (i = 0; i < vx_errno_count; i++)
		if (vx_errnos[i].code == info.code) {
			meaning = meaning_at(vx_text_at(vx_errnos[i].texts));
			info = (struct vx_errno_info){ info.code, info.name, meaning.says, meaning.causes, meaning.remedy };
		}
	return info.name && VX_GIVE(out, size, &info);
}

bool vx_errno_at_sized(size_t index, struct vx_errno_info *out, size_t size)
{
	return index < vx_errno_count && vx_errno_of_sized(vx_errnos[index].code, out, size);
}

static int errno_by_name(const char *name)
{
	const char *word;
	int code;

	for (code = HIGHEST_ERRNO; code; code--) {
		word = vx_errno_word(code);
		if (word && vx_same_letters(name, strlen(name), word))
			break;
	}
	return code;
}

bool vx_errno_find_sized(const char *text, struct vx_errno_info *out, size_t size)
{
	char *end;
	long code;

	if (!text || !*text)
		return false;
	code = strtol(text, &end, 10);
	if (*end)
		code = errno_by_name(text);
	return code >= -HIGHEST_ERRNO && code <= HIGHEST_ERRNO && vx_errno_of_sized((int)code, out, size);
}

/* A text of a table of describe.c; NULL where it has none. */
static const char *text_in(const vx_name *table, size_t index)
{
	return table[index] ? vx_text_at(table[index]) : NULL;
}

const char *vx_man_page(const char *name)
{
	const struct vx_struct *s = vx_struct_find(name);
	const struct vx_enum_info *e = vx_enum_find(name);
	size_t call = vx_call_index(name);

	if (s)
		return text_in(vx_struct_pages, vx_struct_index(s));
	if (e)
		return text_in(vx_enum_pages, (size_t)(e - vx_enums));
	return call == VX_NO_CALL ? NULL : text_in(vx_call_pages, call);
}

const char *vx_stands_for(const char *call)
{
	size_t index = vx_call_index(call);

	return index == VX_NO_CALL ? NULL : text_in(vx_call_wrappers, index);
}
