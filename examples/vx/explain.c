/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx explain: what a name or a number means. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <verbsx/error.h>

#include "command.h"
#include "explain.h"

#define OLDEST_RELEASE 33	/* what is this old may be older */
#define SUGGESTIONS 5

typedef size_t (*reading)(struct report *r, const char *text);

static const reading by_name[] = {
	explain_errno, explain_enum, explain_struct, explain_call, explain_wrapper, explain_enumerator,
	explain_field,
};
static const reading by_part[] = {
	explain_short_enumerator, explain_short_enum, explain_short_struct, explain_short_call, explain_field_name,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	report_number_as(r, "since", since, "rdma-core %u%s", since, since == OLDEST_RELEASE ? " or older" : "");
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

static bool is_number(const char *text, int64_t *number)
{
	bool negative = *text == '-';
	char *end;

	errno = 0;
	*number = negative ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return end != text && !*end && !errno && !strchr(text, ' ');
}

static size_t read_all(struct report *r, const char *text, const reading *readings, size_t count)
{
	size_t i, found = 0;

	for (i = 0; i < count; i++)
		found += readings[i](r, text);
	return found;
}

static size_t explain_text(struct report *r, const char *text)
{
	int64_t number;
	size_t found;

	if (is_number(text, &number))
		return explain_number(r, number, text);
	found = read_all(r, text, by_name, COUNT(by_name));
	return found ? found : read_all(r, text, by_part, COUNT(by_part));
}

/* What could have been meant: in JSON as a list, otherwise in the message. */
static void put_closest(struct report *r, const char *text)
{
	const char *names[SUGGESTIONS];
	size_t i, count = vx_suggest(text, names, SUGGESTIONS);

	fflush(stdout);
	fprintf(stderr, "%s explain: nothing is known of \"%s\"", program(), text);
	for (i = 0; i < count; i++)
		fprintf(stderr, "%s%s", i ? ", " : "; closest: ", names[i]);
	fputc('\n', stderr);
	if (!r->json)
		return;
	report_list(r, "closest");
	for (i = 0; i < count; i++)
		report_text(r, NULL, names[i]);
	report_close(r);
}

/* What follows the name of an enum: a number, or names as vx_enum_parse() takes them. */
static int explain_in_enum(struct report *r, const struct vx_enum_info *e, const char *text)
{
	size_t found = 0;
	int64_t value;
	int rc;

	rc = vx_enum_parse(e, text, &value);
	report_list(r, "matches");
	if (rc == 0)
		found = explain_value(r, e, value);
	report_close(r);
	if (rc < 0)
		report_error(r);
	else if (!found)
		fprintf(stderr, "%s explain: %s has no value %s\n", program(), vx_enum_tag(e), text);
	return found ? DONE : ABSENT;
}

static int explain_alone(struct report *r, const char *text)
{
	size_t found;

	report_list(r, "matches");
	found = explain_text(r, text);
	report_close(r);
	if (!found)
		put_closest(r, text);
	return found ? DONE : ABSENT;
}

static int explain(struct report *r, const char *tag, const char *text)
{
	const struct vx_enum_info *e;

	if (r->json)
		report_text(r, "text", text);
	if (!tag)
		return explain_alone(r, text);
	e = enum_called(tag);
	if (e)
		return explain_in_enum(r, e, text);
	report_list(r, "matches");
	report_close(r);
	put_closest(r, tag);
	return ABSENT;
}

static bool is_keyword(const char *word)
{
	return !strcmp(word, "enum") || !strcmp(word, "struct") || !strcmp(word, "union");
}

/* The words without a keyword of C before the name. */
static size_t names_in(const struct options *options, const char **names)
{
	size_t i, count = 0;

	for (i = 0; i < options->count; i++)
		if (count || i + 1 == options->count || !is_keyword(options->words[i]))
			names[count++] = options->words[i];
	return count;
}

static int run(const struct options *options)
{
	const char *names[MOST_WORDS];
	size_t count = names_in(options, names);
	struct report r;
	int status;

	if (count == 0)
		usage("what is to be explained?");
	if (count + (options->enum_tag != NULL) > 2)
		usage("\"%s\" is too much", names[count - 1]);
	report_start(&r, options->json);
	status = explain(&r, count == 2 ? names[0] : options->enum_tag, names[count - 1]);
	report_finish(&r);
	return status;
}

const struct command explain_command = {
	.name = "explain",
	.summary = "what a name or a number means: status, errno, flags, field...",
	.help = "usage: vx explain TEXT [--enum ENUM] [--json]\n"
		"       vx explain ENUM VALUE [--json]\n"
		"\n"
		"Tells what a name of rdma-core means, since which release it exists and where it is documented.\n"
		"TEXT is an enumerator, an enum, a structure, STRUCTURE.FIELD, a function or an errno, in any case\n"
		"and also without prefix, a field of any structure, or a number: then all that it may stand for.\n"
		"A function of libverbsx is explained by those of rdma-core that it stands for.\n"
		"VALUE is a number, or names joined by '|'.\n"
		"\n"
		"  -e, --enum ENUM  read TEXT as a value of this enum\n"
		"  -j, --json       print JSON: an object whose \"matches\" is a list\n"
		"  -h, --help       show this\n"
		"\n"
		"Examples: vx explain IBV_WC_RETRY_EXC_ERR; vx explain 12 --enum ibv_wc_status;\n"
		"          vx explain ibv_access_flags 0x100007; vx explain active_speed; vx explain ENOMEM\n"
		"\n"
		"Exit status: 0; 1 where nothing is known, with the closest names on standard error.\n",
	.letters = "je",
	.words = MOST_WORDS,
	.run = run,
};
