/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Lines as programs print them: "ibv_create_qp: Cannot allocate memory", "ibv_modify_qp on rxe0 qp 17, INIT -> RTR: Invalid
 * argument: RC needs IBV_QP_MIN_RNR_TIMER, which attr_mask lacks".
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"

/* The letters of names, and the dots between those of fields. */
static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The next name with an underscore, which words of a language do not have, NULL: none; its end is made a NUL. */
static char *next_name(char **rest)
{
	char *name = *rest, *end;

	for (; *name; name = end) {
		while (*name && (*name == '.' || !is_of_name(*name)))
			name++;
		for (end = name; is_of_name(*end); end++)
			;
		while (end > name && end[-1] == '.')
			end--;
		if (!memchr(name, '_', (size_t)(end - name)))
			continue;
		*rest = *end ? end + 1 : end;
		*end = '\0';
		return name;
	}
	return NULL;
}

/* A name once, and none of a field by the structure that it is in: lines know the latter. */
static bool is_first(const char *line, const char *name, size_t place)
{
	const char *found = strstr(line, name);

	return found == line + place;
}

static size_t explain_function(struct report *r, const char *name)
{
	size_t found = explain_call(r, name);

	return found ? found : explain_own(r, name);
}

static size_t explain_attribute(struct report *r, const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t found = explain_enumerator(r, name);

	return found ? found : explain_field_name(r, dot ? dot + 1 : name);
}

static size_t explain_names(struct report *r, const char *line, size_t (*explain)(struct report *, const char *))
{
	char *copy = need_text("%s", line), *rest = copy, *name;
	size_t found = 0;

	while ((name = next_name(&rest)))
		if (is_first(line, name, (size_t)(name - copy)))
			found += explain(r, name);
	free(copy);
	return found;
}

/* First what was called and how it failed, then what else is named. */
size_t explain_line(struct report *r, const char *text)
{
	size_t found;

	if (!strchr(text, ' '))
		return 0;
	found = explain_names(r, text, explain_function);
	found += explain_messages_in(r, text);
	return found + explain_names(r, text, explain_attribute);
}
