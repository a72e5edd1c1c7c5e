/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a text is by its whole name or as a number, and what the readings of it share. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <verbsx/enum.h>

#include "explain_short.h"
#include "pattern.h"

#define OLDEST_RELEASE 33	/* what is this old may be older */
#define BLANKS " \t"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const reading by_name[] = {
	explain_errno, explain_enum, explain_struct, explain_call, explain_own, explain_have, explain_wrapper,
	explain_enumerator, explain_field,
};

char *without_indent(const char *text)
{
	char *copy = need_text("%s", text + strspn(text, BLANKS)), *c;
	size_t len = strlen(copy);

	while (len && strchr(BLANKS, copy[len - 1]))
		copy[--len] = '\0';
	for (c = copy; (c = strchr(c, '\t')); c++)
		*c = ' ';
	return copy;
}

bool same_name(const char *name, const char *text)
{
	return !strcasecmp(name, text);
}

bool same_short_name(const char *name, const char *text)
{
	const char *underscore = strchr(name, '_');

	return underscore && same_name(underscore + 1, text);
}

void report_since(struct report *r, unsigned int since)
{
	if (!since)
		return;
	report_number_as(r, "since", since, "rdma-core %u%s", since, since == OLDEST_RELEASE ? " or older" : "");
}

void table_since(struct table *t, unsigned int since)
{
	if (since)
		table_number(t, since);
	else
		table_text(t, "");
}

void report_meaning(struct report *r, const struct vx_meaning *meaning)
{
	report_text(r, "says", meaning->says);
	report_text(r, "causes", meaning->causes);
	report_text(r, "remedy", meaning->remedy);
}

const char *what_it_says(const char *enumerator)
{
	struct vx_meaning meaning;

	return vx_meaning_of(enumerator, &meaning) ? meaning.says : "";
}

bool is_number(const char *text, int64_t *number)
{
	bool negative = *text == '-';
	char *end;

	errno = 0;
	*number = negative ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return end != text && !*end && !errno && !strchr(text, ' ') && !is_binary(text + negative);
}

size_t explain_text(struct report *r, const char *text)
{
	size_t i, found = 0;
	int64_t number;

	if (is_number(text, &number))
		return explain_number(r, number, text);
	for (i = 0; !strchr(text, ' ') && i < COUNT(by_name); i++)
		found += by_name[i](r, text);
	return found ? found : explain_short(r, text);
}

size_t explain_in_enum(struct report *r, const struct vx_enum_info *e, const char *text)
{
	size_t found;
	int64_t value;

	found = vx_enum_parse(e, text, &value) == 0 ? explain_value(r, e, value) : 0;
	if (found)
		return found;
	return explain_ending(r, e, text);
}
