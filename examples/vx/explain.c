/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx explain: what a name or a number means. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>
#include <verbsx/error.h>
#include <verbsx/objects.h>

#include "command.h"
#include "closest.h"
#include "explain_short.h"
#include "explain_stream.h"
#include "explain_words.h"

#define SUGGESTIONS 5
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What could have been meant: in JSON as a list, otherwise in the message. */
static void put_closest(struct report *r, const char *text, bool is_enum)
{
	const char *names[SUGGESTIONS];
	const char *what, *command;
	bool elsewhere = !is_enum && look_elsewhere(text, &what, &command);
	size_t i, count = elsewhere ? 0 : (is_enum ? closest_enums : closest_names)(text, names, SUGGESTIONS);

	fflush(stdout);
	fprintf(stderr, "%s explain: %s \"%s\"", program(), is_enum ? "there is no enum" : "nothing is known of", text);
	if (elsewhere)
		fprintf(stderr, ", which looks like %s: try %s %s %s", what, program(), command, text);
	for (i = 0; i < count; i++)
		fprintf(stderr, "%s%s", i ? ", " : "; closest: ", names[i]);
	if (!elsewhere && VX_KNOWS_ONE_RELEASE)
		fprintf(stderr, "; this %s was generated from the headers of rdma-core %u, and knows no other release", program(), VX_RDMA_CORE);
	fputc('\n', stderr);
	if (!r->json)
		return;
	report_list(r, "closest");
	for (i = 0; i < count; i++)
		report_text(r, NULL, names[i]);
	report_close(r);
}

static int put_wrong_value(struct report *r, const struct vx_enum_info *e, const char *text)
{
	int64_t value;

	fflush(stdout);
	if (!is_number(text, &value) && vx_enum_parse(e, text, &value) < 0) {
		fprintf(stderr, "%s explain: %s: %s\n", program(), vx_enum_tag(e), vx_error()->reason);
		report_error_member(r);
	} else {
		fprintf(stderr, "%s explain: %s has no value %s\n", program(), vx_enum_tag(e), text);
	}
	return ABSENT;
}

static size_t explain_as_it_is(struct report *r, const char *tag, const char *text)
{
	static const reading in_order[] = {
		explain_text, explain_less_brackets, explain_counter, explain_message, explain_whole_message, explain_rate, explain_of_c, explain_pair,
		explain_spoken, explain_spoken_pair, explain_inner, explain_numbered, explain_line, explain_transition, explain_attribute_alone, explain_code_text,
	};
	size_t i, found = 0;

	if (tag)
		return enum_called(tag) ? explain_in_enum(r, enum_called(tag), text) : 0;
	for (i = 0; !found && i < COUNT(in_order); i++)
		found = in_order[i](r, text);
	return found;
}

size_t explain_all(struct report *r, const char *tag, const char *text)
{
	char *here = is_spelled_otherwise(text) ? as_spelled_here(text) : NULL;
	size_t found = explain_as_it_is(r, tag, here ? here : text);

	free(here);
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

/* "IBV_WC_SUCCESS foo": one word behind an enumerator is a mistake or a second name, where more make it a line of a log. */
static const char *word_behind_enumerator(const char *text)
{
	const char *word = strchr(text, ' '), *c = word;
	struct vx_enumerator at;
	char *name;
	bool is_one;

	if (!word)
		return NULL;
	name = need_text("%.*s", (int)(word - text), text);
	is_one = vx_enumerator_find(name, NULL, &at);
	free(name);
	while (*++c && (isalpha((unsigned char)*c) || *c == '_'))
		;
	return is_one && !*c && c > word + 1 ? word + 1 : NULL;
}

/* The next of the pieces between '|', without blanks around it: malloc()ed. */
static char *next_piece(const char **text)
{
	const char *piece = *text + strspn(*text, " ");
	size_t len = strcspn(piece, "|");

	*text = piece + len + (piece[len] == '|');
	while (len && piece[len - 1] == ' ')
		len--;
	return need_text("%.*s", (int)len, piece);
}

/* Whether it is no value of an enum, though of the form of one. */
static bool is_unknown(const struct vx_enum_info *e, const char *piece)
{
	struct vx_enumerator at;
	int64_t value;

	return *piece && !strchr(piece, ' ') && !vx_enumerator_find(piece, NULL, &at) && vx_enum_parse(e, piece, &value) < 0;
}

/* "IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_BOGUS": behind an enumerator the first that is none; malloc()ed, NULL: there is none. */
static char *unknown_flag(const char *text)
{
	const struct vx_enum_info *e = NULL;
	struct vx_enumerator at;
	char *piece = next_piece(&text);
	bool is_one = vx_enumerator_find(piece, &e, &at);

	while (is_one && *text && !is_unknown(e, piece)) {
		free(piece);
		piece = next_piece(&text);
	}
	if (is_one && is_unknown(e, piece))
		return piece;
	free(piece);
	return NULL;
}

/* By the first word alone. */
static size_t explain_head(struct report *r, const char *text)
{
	char *head = need_text("%.*s", (int)strcspn(text, " "), text);
	size_t found = explain_all(r, NULL, head);

	free(head);
	return found;
}

/* Explain a word; malloc()ed where it is not known, otherwise NULL. */
static char *unknown_word(struct report *r, const char *word)
{
	return explain_all(r, NULL, word) ? NULL : need_text("%s", word);
}

/* A value rather than words of a log: one word, or several with '|' between them. */
static bool is_value(const char *text)
{
	char *piece;
	bool is_one;

	if (!*text)
		return false;
	do {
		piece = next_piece(&text);
		is_one = !strchr(piece, ' ');
		free(piece);
	} while (is_one && *text);
	return is_one;
}

/* What belongs to an enum that is named is explained by this alone, and whatever is wrong with it is told. */
static size_t explain_text_of(struct report *r, const char *tag, const char *text, bool *is_of_enum)
{
	const char *value;
	const struct vx_enum_info *e = enum_in(tag, text, &value);

	*is_of_enum = tag || (e && is_value(value));
	return *is_of_enum ? (e ? explain_in_enum(r, e, value) : 0) : explain_all(r, NULL, text);
}

static int explain(struct report *r, const char *tag, const char *said, const char *text)
{
	const char *value, *word = tag ? NULL : word_behind_enumerator(text);
	const struct vx_enum_info *e;
	bool is_of_enum = false;
	char *unknown;
	size_t found;

	if (r->json)
		report_text(r, "text", said);
	report_list(r, "matches");
	found = word ? explain_head(r, text) : explain_text_of(r, tag, text, &is_of_enum);
	unknown = word ? unknown_word(r, word) : is_of_enum ? NULL : unknown_flag(text);
	report_close(r);
	if (unknown) {
		put_closest(r, unknown, false);
		free(unknown);
		return ABSENT;
	}
	if (found)
		return DONE;
	e = enum_in(tag, text, &value);
	if (e)
		return put_wrong_value(r, e, value);
	put_closest(r, tag ? tag : text, tag);
	return ABSENT;
}

/* Without a keyword of C before the name, or one of shells. */
static const char *less_keyword(const char *text)
{
	static const char keywords[][8] = { "enum ", "struct ", "union ", "export " };
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
	char *words, *text;
	struct report r;
	int status;

	if (!options->count)
		usage("what is to be explained?");
	if (options->count == 1 && !strcmp(options->words[0], "-") && (!options->enum_tag || enum_called(options->enum_tag)))
		return explain_stream(stdin, options);
	if (options->enum_tag && options->count > 1)
		usage("\"%s\" is too much", options->words[1]);
	words = text_in(options);
	text = without_indent(words);
	report_start(&r, options->json);
	r.brief = options->values['b'] && !r.json;
	status = explain(&r, options->enum_tag, less_keyword(words), less_keyword(text));
	report_finish(&r);
	free(text);
	free(words);
	return status;
}

const struct command explain_command = {
	.name = "explain",
	.summary = "what a name or a number means: status, errno, flags, field...",
	.help = "usage: vx explain TEXT [--enum ENUM] [--brief] [--json]\n"
		"       vx explain ENUM VALUE [--json]\n"
		"       vx explain FIELD NUMBER [--json]\n"
		"       vx explain - [--brief] [--json] <LOG\n"
		"\n"
		"Tells what a name of rdma-core means, since which release it exists and where it is documented.\n"
		"TEXT is an enumerator, an enum, a structure, STRUCTURE.FIELD, a function or an errno, in any case\n"
		"and also without prefix, a field of any structure, or a number: then all that it may stand for;\n"
		"or a word of manuals, such as QP or RKEY. Of several that are meant the most usual one comes first.\n"
		"What libverbsx has is known too: its functions, with those of rdma-core that they stand for, its\n"
		"structures and macros, and the variables of the environment that it reads.\n"
		"Messages are understood, such as \"transport retry counter exceeded\", \"Cannot allocate memory\" or\n"
		"\"errno 22\", lines of a log such as \"ibv_create_qp: Invalid argument\" or what vx_error_text() says,\n"
		"those of NCCL, UCX, perftest, libfabric, SPDK, the kernel, loaders and compilers as well; counters of\n"
		"hw_counters and perfquery, \"out_of_sequence 12\"; attributes\n"
		"as they are printed or as C has them, \"timeout=14\", \"state: IBV_PORT_ACTIVE (4)\", \"wc->status\", with\n"
		"what is wrong with a value that is out of range; and changes of a QP's state, with what attr_mask\n"
		"they need: \"INIT -> RTR\".\n"
		"With - the lines of standard input are put out, and below each that is understood what it means;\n"
		"where that was said before, \"as above\". Variables of the environment of NCCL, UCX, libmlx5 and\n"
		"libibverbs are known, \"NCCL_IB_TIMEOUT=22\".\n"
		"VALUE is a number, names joined by '|', or what the name of a value ends with.\n"
		"\n"
		"  -e, --enum ENUM  read TEXT as a value of this enum\n"
		"  -b, --brief      of each only its value, what it says, causes and remedy\n"
		"  -j, --json       print JSON: an object whose \"matches\" is a list; with - JSON Lines: such an object in one\n"
		"                   line for each line of text that is not empty\n"
		"  -h, --help       show this\n"
		"\n"
		"Examples: vx explain IBV_WC_RETRY_EXC_ERR; vx explain 12 --enum ibv_wc_status;\n"
		"          vx explain ibv_access_flags 0x100007; vx explain timeout 14; vx explain MTU 4096;\n"
		"          vx explain 'Failed status 12: wr_id 0 syndrom 0x81'; ib_write_bw 2>&1 | vx explain -\n"
		"\n"
		"Exit status: 0; 1 where nothing is known, with the closest names on standard error.\n",
	.letters = "jeb",
	.words = MOST_WORDS,
	.run = run,
};
