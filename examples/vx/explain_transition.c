/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Transitions of a QP: "INIT -> RTR". */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/error.h>

#include "explain_transition.h"
#include "explain_words.h"
#include "pattern.h"
#include "table.h"

#define STATE "ibv_qp_state"
#define PREFIX "IBV_QPS_"
#define NUMBERED "QP state"	/* what has this may give states by their numbers, as the kernel does */
#define LONGEST_STATE 32
#define BLANKS " \t"

static const struct transition {
	const char *from;
	const char *to;
	const char *types;
	const char *needs;
	const char *allows;
} transitions[] = {
#define TRANSITION(from, to, types, needs, allows) { from, to, types, needs, allows },
#include "transition_words.inc"
#undef TRANSITION
};

#define COUNT (sizeof(transitions) / sizeof(transitions[0]))

static bool is_called(const struct vx_enumerator *at, const char *name)
{
	return same_name(at->name, name) || same_name(at->name + strlen(PREFIX), name);
}

static bool is_numbered(const struct vx_enumerator *at, const char *number)
{
	int64_t value;

	return read_number(number, &value) && value == at->value;
}

/* The state that a word or, on demand, a number names, without prefix; NULL: it names none. */
static const char *state_called(const char *word, size_t len, bool by_number)
{
	const struct vx_enum_info *e = vx_enum_find(STATE);
	struct vx_enumerator at;
	char name[LONGEST_STATE];
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	for (i = 0; vx_enumerator_at(e, i, &at); i++)
		if (is_called(&at, name) || (by_number && is_numbered(&at, name)))
			return at.name + strlen(PREFIX);
	return NULL;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *state_before(const char *text, const char *end, bool by_number)
{
	const char *begin;

	while (end > text && strchr(BLANKS, end[-1]))
		end--;
	for (begin = end; begin > text && is_of_name(begin[-1]); begin--)
		;
	return state_called(begin, (size_t)(end - begin), by_number);
}

static const char *state_behind(const char *text, bool by_number)
{
	size_t len;

	text += strspn(text, BLANKS);
	for (len = 0; is_of_name(text[len]); len++)
		;
	return state_called(text, len, by_number);
}

struct ends {
	const char *from;
	const char *to;
};

/* Where a word stands between two states. */
static bool find_ends(const char *text, const char *between, struct ends *ends)
{
	bool by_number = has_pattern(text, NUMBERED);
	const char *at = text;

	for (; (at = strstr(at, between)); at++) {
		ends->from = state_before(text, at, by_number);
		ends->to = state_behind(at + strlen(between), by_number);
		if (ends->from && ends->to)
			return true;
	}
	return false;
}

static bool ends_in(const char *text, struct ends *ends)
{
	return find_ends(text, "->", ends) || find_ends(text, " to ", ends);
}

/* Where else a state leads to. */
static char *ways_from(const char *state)
{
	char *ways = need_text("%s", ""), *longer;
	size_t i;

	for (i = 0; i < COUNT; i++) {
		if (strcmp(transitions[i].from, state) || strstr(ways, transitions[i].to))
			continue;
		longer = need_text("%s%s%s", ways, *ways ? ", " : "", transitions[i].to);
		free(ways);
		ways = longer;
	}
	return ways;
}

static void put_none(struct report *r, const struct ends *ends)
{
	char *ways = ways_from(ends->from);
	char *says = need_text("No type of QP has this transition. From %s a QP goes to: %s.", ends->from, ways);

	report_text(r, "says", says);
	free(says);
	free(ways);
}

static size_t put_types(struct report *r, const struct ends *ends)
{
	static const struct column columns[] = {
		{ "types", TEXT }, { "needs", TEXT }, { "allows", TEXT },
	};
	struct table t = TABLE(r, "types", columns);
	size_t i, rows = 0;

	for (i = 0; i < COUNT; i++) {
		if (strcmp(transitions[i].from, ends->from) || strcmp(transitions[i].to, ends->to))
			continue;
		table_text(&t, transitions[i].types);
		table_text(&t, transitions[i].needs);
		table_text(&t, transitions[i].allows);
		rows++;
	}
	table_end(&t);
	return rows;
}

static bool is_known(const struct ends *ends)
{
	size_t i;

	for (i = 0; i < COUNT; i++)
		if (!strcmp(transitions[i].from, ends->from) && !strcmp(transitions[i].to, ends->to))
			return true;
	return false;
}

size_t explain_transition(struct report *r, const char *text)
{
	struct ends ends;
	char *name;

	if (!ends_in(text, &ends))
		return 0;
	name = need_text("%s -> %s", ends.from, ends.to);
	report_item(r, "transition", name);
	report_text(r, "says", is_known(&ends) ? "What attr_mask must and may have; IBV_QP_STATE is always in it." : "");
	report_change(r, name);
	report_text(r, "page", vx_man_page("ibv_modify_qp"));
	if (!put_types(r, &ends))
		put_none(r, &ends);
	report_close(r);
	free(name);
	return 1;
}

void add_transition(struct topics *topics, const char *line)
{
	struct ends ends;
	char *name;

	if (!ends_in(line, &ends))
		return;
	name = need_text("%s -> %s", ends.from, ends.to);
	topics_add(topics, explain_transition, name);
	free(name);
}
