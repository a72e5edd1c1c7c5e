/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <stdlib.h>
#include <string.h>

#include "text/table.h"
#include "toy.h"

#define TEXTS 8
#define LONGEST (1 << 20)

/* The next of a few buffers in turn, so that an expectation can hold several texts at once. */
static char *next_text(void)
{
	static char texts[TEXTS][LONGEST];
	static unsigned int turn;

	return texts[turn++ % TEXTS];
}

const struct vx_struct *toy_struct(enum toy_struct which)
{
	return vx_struct_row(which);
}

const struct vx_enum_info *toy_enum(const char *tag)
{
	const struct vx_enum_info *e = vx_enum_find(tag);

	if (!e)
		abort();
	return e;
}

const char *toy_text(enum toy_struct which, const void *ptr, size_t size, int style)
{
	char *text = next_text();

	if (vx_snprint(text, LONGEST, vx_type_of(toy_struct(which), size), ptr, style) >= LONGEST)
		abort();
	return text;
}

static const char *line_begin(const char *text, const char *name)
{
	const size_t len = strlen(name);

	for (; text; text = strchr(text, '\n')) {
		text += strspn(text, "\n ");
		if (!strncmp(text, name, len) && (text[len] == ' ' || text[len] == ':'))
			return text + len;
	}
	return NULL;
}

const char *toy_line(const char *text, const char *name)
{
	const char *value = line_begin(text, name);
	char *line = next_text();
	size_t len;

	if (!value)
		return "(no such line)";
	value += strspn(value, " ");
	value += strspn(value, ":");
	value += *value == ' ';
	len = strcspn(value, "\n");
	memcpy(line, value, len);
	line[len] = '\0';
	return line;
}
