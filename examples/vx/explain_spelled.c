/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Names that others write with another beginning: the kernel's IB_WC_SUCCESS is IBV_WC_SUCCESS here. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explain_words.h"
#include "pattern.h"

static const struct pattern spelled[] = {
#define SPELLED(text, names) { text, names },
#include "line_words.inc"
#undef SPELLED
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const struct pattern *beginning_of(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(spelled); i++)
		if (!strncmp(name, spelled[i].text, strlen(spelled[i].text)))
			return &spelled[i];
	return NULL;
}

/* The name as libibverbs has it, malloc()ed; NULL: it is none of other names, or of no enumerator. */
static char *name_here(const char *name, size_t len)
{
	const struct pattern *beginning = beginning_of(name);
	struct vx_enumerator at;
	size_t skipped;
	char *here;

	if (!beginning)
		return NULL;
	skipped = strlen(beginning->text);
	here = need_text("%s%.*s", beginning->names, len > skipped ? (int)(len - skipped) : 0, name + skipped);
	if (vx_enumerator_find(here, NULL, &at))
		return here;
	free(here);
	return NULL;
}

static size_t length_of_name(const char *text)
{
	size_t len = 0;

	while (is_of_name(text[len]))
		len++;
	return len;
}

char *as_spelled_here(const char *text)
{
	char *all = need_text("%s", ""), *here, *longer;
	size_t len;

	for (; *text; text += len) {
		len = length_of_name(text);
		here = len ? name_here(text, len) : NULL;
		len = len ? len : 1;
		longer = here ? need_text("%s%s", all, here) : need_text("%s%.*s", all, (int)len, text);
		free(here);
		free(all);
		all = longer;
	}
	return all;
}

bool is_spelled_otherwise(const char *text)
{
	size_t i;

	for (i = 0; i < COUNT(spelled); i++)
		if (strstr(text, spelled[i].text))
			return true;
	return false;
}
