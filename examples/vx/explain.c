/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx explain: what a name or a number means. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <verbsx/error.h>
#include <verbsx/objects.h>

#include "command.h"
#include "closest.h"
#include "explain_short.h"
#include "explain_words.h"

#define OLDEST_RELEASE 33	/* what is this old may be older */
#define SUGGESTIONS 5
#define BETWEEN " =:"		/* an attribute and its value */

static const reading by_name[] = {
	explain_errno, explain_enum, explain_struct, explain_call, explain_own, explain_have, explain_wrapper,
	explain_enumerator, explain_field,
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

static bool is_number(const char *text, int64_t *number)
{
	bool negative = *text == '-';
	char *end;

	errno = 0;
	*number = negative ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return end != text && !*end && !errno && !strchr(text, ' ');
}

static size_t explain_text(struct report *r, const char *text)
{
	size_t i, found = 0;
	int64_t number;

	if (is_number(text, &number))
		return explain_number(r, number, text);
	for (i = 0; i < COUNT(by_name); i++)
		found += by_name[i](r, text);
	return found ? found : explain_short(r, text);
}

/* What could have been meant: in JSON as a list, otherwise in the message. */
static void put_closest(struct report *r, const char *text)
{
	const char *names[SUGGESTIONS];
	size_t i, count = closest_names(text, names, SUGGESTIONS);

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

size_t explain_in_enum(struct report *r, const struct vx_enum_info *e, const char *text)
{
	size_t found;
	int64_t value;

	found = vx_enum_parse(e, text, &value) == 0 ? explain_value(r, e, value) : 0;
	if (found)
		return found;
	return explain_ending(r, e, text);
}

static int put_wrong_value(struct report *r, const struct vx_enum_info *e, const char *text)
{
	int64_t value;

	fflush(stdout);
	if (vx_enum_parse(e, text, &value) < 0) {
		fprintf(stderr, "%s explain: %s: %s\n", program(), vx_enum_tag(e), vx_error()->reason);
		report_error_member(r);
	} else {
		fprintf(stderr, "%s explain: %s has no value %s\n", program(), vx_enum_tag(e), text);
	}
	return ABSENT;
}

/* A number with its words, in whichever order: "67.1 ms (14)", "12 (transport retry counter exceeded)"; NULL: it is none. */
static char *number_with_words(const char *value)
{
	const char *open = strrchr(value, '(');
	int64_t number;
	char *text;

	if (!open || open == value || value[strlen(value) - 1] != ')')
		return NULL;
	text = need_text("%.*s", (int)strlen(open) - 2, open + 1);
	if (!is_number(text, &number)) {
		free(text);
		text = need_text("%.*s", (int)strcspn(value, " ("), value);
	}
	if (is_number(text, &number))
		return text;
	free(text);
	return NULL;
}

/* The number of VX_NONE, which has a meaning where fields of this name take VX_NONE. */
static bool is_none(const char *field, const char *value)
{
	char *name = need_text(".%s ", field);
	bool takes_it = strstr(own_words("VX_NONE"), name);
	int64_t number;

	free(name);
	return takes_it && is_number(value, &number) && number == VX_NONE;
}

/*
 * What has a value: an attribute, an enum or "errno". The value is a number or, of an attribute, the name of one as well; words may
 * stand beside it.
 */
static size_t explain_value_of(struct report *r, const char *what, const char *value, const char *words)
{
	const struct vx_enum_info *e = enum_called(what);
	size_t found = explain_alone(r, what, value);

	found = found ? found : explain_word_value(r, what, value);
	if (found)
		return found;
	if (same_name(what, "errno"))	/* by its name, too */
		return explain_errno(r, value);
	if (e)
		found = explain_in_enum(r, e, value);
	if (found || (e && !has_field(what)))
		return found;
	found = explain_field_value(r, what, value, words);
	if (is_none(what, value))
		found += explain_own(r, "VX_NONE");
	if (!found && has_field(what))
		found = explain_enumerator(r, value);
	return found;
}

/* "errno 22", "ibv_mtu 5", "timeout 14", "active_width=2", "state : IBV_PORT_ACTIVE (4)" */
static size_t explain_pair(struct report *r, const char *text)
{
	size_t len = strcspn(text, BETWEEN);
	char *what = need_text("%.*s", (int)len, text);
	const char *value = text + len + strspn(text + len, BETWEEN);
	char *number = number_with_words(value);
	size_t found = *value ? explain_value_of(r, what, number ? number : value, value) : 0;

	free(number);
	free(what);
	return found;
}

/* A name as one speaks of it: "link layer", "path mtu" */
static size_t explain_spoken(struct report *r, const char *text)
{
	char *name = need_text("%s", text), *blank;
	size_t found;

	for (blank = name; (blank = strchr(blank, ' ')); blank++)
		*blank = '_';
	found = strcmp(name, text) ? explain_text(r, name) : 0;
	free(name);
	return found;
}

/* An enum in two words, and its value: "port state 4", "qp state: RTS" */
static size_t explain_spoken_pair(struct report *r, const char *text)
{
	char *joined = need_text("%s", text), *blank = strchr(joined, ' '), *what;
	size_t found = 0;

	if (blank) {
		*blank = '_';
		what = need_text("%.*s", (int)strcspn(joined, BETWEEN), joined);
		found = enum_called(what) ? explain_pair(r, joined) : 0;
		free(what);
	}
	free(joined);
	return found;
}

/*
 * Of an attribute or a term whose value says nothing: "max_qp_wr 16384", "inline 200", "QP: ..." A word that is one of a language as
 * well, such as "port" and "device", is a field only where it stands alone or before a number.
 */
static size_t explain_attribute_alone(struct report *r, const char *text)
{
	char *what = need_text("%.*s", (int)strcspn(text, BETWEEN), text);
	const char *rest = text + strlen(what), *value = rest + strspn(rest, BETWEEN);
	int64_t number;
	bool has_number = is_number(value, &number);
	size_t found = strpbrk(what, "_.") || !*value || has_number ? explain_field(r, what) + explain_field_name(r, what) : 0;

	if (!found && (*rest == ':' || has_number))
		found = explain_term(r, what);
	free(what);
	return found;
}

/* As messages have it: "IBV_WC_RETRY_EXC_ERR (12)", "vx_qp_modify()". */
static size_t explain_less_brackets(struct report *r, const char *text)
{
	const char *open = strchr(text, '(');
	size_t len = open ? (size_t)(open - text) : 0, found;
	char *head;

	if (!len || text[strlen(text) - 1] != ')')
		return 0;
	len -= text[len - 1] == ' ';
	head = need_text("%.*s", (int)len, text);
	found = explain_text(r, head);
	free(head);
	return found;
}

/* As messages name what is inside of another: "cap.max_recv_wr", "ah_attr.grh.sgid_index = 200" */
static size_t explain_inner(struct report *r, const char *text)
{
	char *path = need_text("%.*s", (int)strcspn(text, BETWEEN), text);
	const char *dot = strrchr(path, '.'), *inner = dot ? text + (dot + 1 - path) : NULL;
	size_t found = 0;

	if (dot && has_field(dot + 1)) {
		found = explain_pair(r, inner);
		found = found ? found : explain_attribute_alone(r, inner);
	}
	free(path);
	return found;
}

/* As C writes it: "wc[i].status", "attr->timeout = 14". */
static size_t explain_of_c(struct report *r, const char *text)
{
	size_t head = strcspn(text, BETWEEN), found;
	char *plain, *out;

	if (!memchr(text, '[', head) && !memmem(text, head, "->", strlen("->")))
		return 0;
	out = plain = need_text("%s", text);
	for (; *text; text++) {
		if (*text == '[' && strchr(text, ']'))
			text = strchr(text, ']');
		else if (!strncmp(text, "->", strlen("->")))
			*out++ = '.', text++;
		else
			*out++ = *text;
	}
	*out = '\0';
	found = strchr(plain, '.') ? explain_field(r, plain) : 0;
	found = found ? found : explain_inner(r, plain);
	free(plain);
	return found;
}

static size_t explain_all(struct report *r, const char *tag, const char *text)
{
	static const reading in_order[] = {
		explain_text, explain_less_brackets, explain_message, explain_of_c, explain_pair, explain_spoken, explain_spoken_pair,
		explain_inner, explain_line, explain_transition, explain_attribute_alone,
	};
	size_t i, found = 0;

	if (tag)
		return enum_called(tag) ? explain_in_enum(r, enum_called(tag), text) : 0;
	for (i = 0; !found && i < COUNT(in_order); i++)
		found = in_order[i](r, text);
	return found;
}

/* The enum that a text is about, by its whole name: what is shorter may be a word of something else. NULL: of none. */
static const struct vx_enum_info *enum_in(const char *tag, const char *text, const char **value)
{
	const char *space = strchr(text, ' ');
	const struct vx_enum_info *e;
	char *what;

	*value = tag ? text : space ? space + 1 : "";
	if (tag || !space)
		return tag ? enum_called(tag) : NULL;
	what = need_text("%.*s", (int)(space - text), text);
	e = enum_called(what);
	e = e && same_name(vx_enum_tag(e), what) ? e : NULL;
	free(what);
	return e;
}

static int explain(struct report *r, const char *tag, const char *text)
{
	const struct vx_enum_info *e;
	const char *value;
	size_t found;

	if (r->json)
		report_text(r, "text", text);
	report_list(r, "matches");
	found = explain_all(r, tag, text);
	report_close(r);
	if (found)
		return DONE;
	e = enum_in(tag, text, &value);
	if (e)
		return put_wrong_value(r, e, value);
	put_closest(r, tag ? tag : text);
	return ABSENT;
}

/* Without a keyword of C before the name. */
static const char *less_keyword(const char *text)
{
	static const char keywords[][8] = { "enum ", "struct ", "union " };
	size_t i, len;

	for (i = 0; i < COUNT(keywords); i++) {
		len = strlen(keywords[i]);
		if (!strncmp(text, keywords[i], len))
			return text + len;
	}
	return text;
}

/* The words as one text. */
static char *text_in(const struct options *options)
{
	char *text = NULL, *longer;
	size_t i;

	for (i = 0; i < options->count; i++) {
		longer = need_text("%s%s%s", text ? text : "", text ? " " : "", options->words[i]);
		free(text);
		text = longer;
	}
	return text;
}

static int run(const struct options *options)
{
	struct report r;
	int status;
	char *text;

	if (!options->count)
		usage("what is to be explained?");
	if (options->enum_tag && options->count > 1)
		usage("\"%s\" is too much", options->words[1]);
	text = text_in(options);
	report_start(&r, options->json);
	status = explain(&r, options->enum_tag, less_keyword(text));
	report_finish(&r);
	free(text);
	return status;
}

const struct command explain_command = {
	.name = "explain",
	.summary = "what a name or a number means: status, errno, flags, field...",
	.help = "usage: vx explain TEXT [--enum ENUM] [--json]\n"
		"       vx explain ENUM VALUE [--json]\n"
		"       vx explain FIELD NUMBER [--json]\n"
		"\n"
		"Tells what a name of rdma-core means, since which release it exists and where it is documented.\n"
		"TEXT is an enumerator, an enum, a structure, STRUCTURE.FIELD, a function or an errno, in any case\n"
		"and also without prefix, a field of any structure, or a number: then all that it may stand for;\n"
		"or a word of manuals, such as QP or RKEY. Of several that are meant the most usual one comes first.\n"
		"What libverbsx has is known too: its functions, with those of rdma-core that they stand for, its\n"
		"structures and macros, and the variables of the environment that it reads.\n"
		"Messages are understood, such as \"transport retry counter exceeded\", \"Cannot allocate memory\" or\n"
		"\"errno 22\", lines of a log such as \"ibv_create_qp: Invalid argument\" or what vx_error_text() says,\n"
		"those of NCCL, UCX, perftest, libfabric, SPDK, the kernel, loaders and compilers as well; attributes\n"
		"as they are printed or as C has them, \"timeout=14\", \"state: IBV_PORT_ACTIVE (4)\", \"wc->status\", with\n"
		"what is wrong with a value that is out of range; and changes of a QP's state, with what attr_mask\n"
		"they need: \"INIT -> RTR\".\n"
		"VALUE is a number, names joined by '|', or what the name of a value ends with.\n"
		"\n"
		"  -e, --enum ENUM  read TEXT as a value of this enum\n"
		"  -j, --json       print JSON: an object whose \"matches\" is a list\n"
		"  -h, --help       show this\n"
		"\n"
		"Examples: vx explain IBV_WC_RETRY_EXC_ERR; vx explain 12 --enum ibv_wc_status;\n"
		"          vx explain ibv_access_flags 0x100007; vx explain timeout 14; vx explain MTU 4096;\n"
		"          vx explain 'Failed status 12: wr_id 0 syndrom 0x81'\n"
		"\n"
		"Exit status: 0; 1 where nothing is known, with the closest names on standard error.\n",
	.letters = "je",
	.words = MOST_WORDS,
	.run = run,
};
