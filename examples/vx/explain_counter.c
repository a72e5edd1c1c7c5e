/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Counters of ports and of drivers, as sysfs, rdma statistic and perfquery show them. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "explain_counter.h"
#include "pattern.h"

#define BETWEEN " .:=\t"	/* a name and its number */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct counter {
	const char *names;	/* with '|' between */
	struct vx_meaning meaning;
};

static const struct counter counters[] = {
#define COUNTER(names, says, causes, remedy) { names, { says, causes, remedy } },
#include "line_words.inc"
#undef COUNTER
};

static size_t length_of_name(const char *text)
{
	size_t len;

	for (len = 0; isalnum((unsigned char)text[len]) || text[len] == '_'; len++)
		;
	return len;
}

/* In any case; where the name has an N, any digit will do: "rx_prioN_pause". */
static bool is_same(const char *name, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (tolower((unsigned char)name[i]) != tolower((unsigned char)text[i]) && !(name[i] == 'N' && isdigit((unsigned char)text[i])))
			return false;
	return true;
}

/* Each name, by its length, which is found once, as each word of a log is looked up. */
static struct counter_name {
	const char *name;
	size_t len;
	const struct counter *of;
} *names;

static size_t name_count;

static void find_names(void)
{
	const char *name;
	size_t i, len;

	for (i = 0; i < COUNT(counters); i++)
		for (name = counters[i].names; *name; name += len + (name[len] == '|')) {
			len = strcspn(name, "|");
			names = need_memory(names, (name_count + 1) * sizeof(*names));
			names[name_count++] = (struct counter_name){ name, len, &counters[i] };
		}
}

/* The counter whose name a text begins with. @return NULL: there is none */
static const struct counter *counter_at(const char *text, size_t len)
{
	size_t i;

	if (!name_count)
		find_names();
	for (i = 0; len && i < name_count; i++)
		if (names[i].len == len && is_same(names[i].name, text, len))
			return names[i].of;
	return NULL;
}

/* One that counted nothing has no causes. */
static size_t put_counter(struct report *r, const struct counter *counter, const int64_t *value)
{
	char *name = need_text("%.*s", (int)strcspn(counter->names, "|"), counter->names);

	report_item(r, "counter", name);
	if (value)
		report_number(r, "value", *value);
	report_text(r, "called", counter->names + strlen(name) + (counter->names[strlen(name)] == '|'));
	if (value && !*value)
		report_text(r, "says", counter->meaning.says);
	else
		report_meaning(r, &counter->meaning);
	report_close(r);
	free(name);
	return 1;
}

size_t explain_counter(struct report *r, const char *text)
{
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text, *value, *end;
	const struct counter *counter = counter_at(name, length_of_name(name));
	int64_t number;

	if (!counter)
		return 0;
	value = name + length_of_name(name);
	value += strspn(value, BETWEEN);
	end = read_number(value, &number);
	if (end ? *end : *value)
		return 0;
	return put_counter(r, counter, end ? &number : NULL);
}

void add_counters(struct topics *topics, const char *line)
{
	const char *value;
	int64_t number;
	char *text;
	size_t len;

	for (; *line; line += len ? len : 1) {
		len = length_of_name(line);
		if (!counter_at(line, len))
			continue;
		value = line + len + strspn(line + len, BETWEEN);
		if (!read_number(value, &number))
			text = need_text("%.*s", (int)len, line);
		else
			text = number ? need_text("%.*s %lld", (int)len, line, (long long)number) : NULL;
		if (text)
			topics_add(topics, explain_counter, text);
		free(text);
	}
}

char *counter_name(size_t i)
{
	return i < COUNT(counters) ? need_text("%.*s", (int)strcspn(counters[i].names, "|"), counters[i].names) : NULL;
}
