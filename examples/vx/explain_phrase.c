/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What words of a line stand for, by the patterns of lore: "modifying QP to RTR". */

#include <string.h>

#include "explain_words.h"
#include "pattern.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct pattern phrases[] = {
#define PHRASE(text, names) { text, names },
#include "line_words.inc"
#undef PHRASE
};

static bool is_transition(const char *name)
{
	return strstr(name, "->");
}

static size_t explain_named(struct report *r, const char *name)
{
	size_t found = explain_call(r, name);

	return found ? found : explain_enumerator(r, name);
}

/* "retry exceeded" says nothing more where "RNR retry exceeded" was found before. */
static bool is_part_of_another(const char *line, size_t which)
{
	const char *text = phrases[which].text, *other;
	size_t i, len = strlen(text), longer;

	for (i = 0; i < which; i++) {
		other = phrases[i].text;
		longer = strlen(other);
		if (longer > len && (!strcmp(other + longer - len, text) || !strncmp(other, text, len)) && has_pattern(line, other))
			return true;
	}
	return false;
}

static void add_phrases(struct topics *topics, const char *line, bool transitions)
{
	char name[LONGEST_NAME];
	const char *names;
	size_t i;

	for (i = 0; i < COUNT(phrases); i++)
		if (has_pattern(line, phrases[i].text) && !is_part_of_another(line, i))
			for (names = phrases[i].names; next_of_names(&names, name);)
				if (is_transition(name) == transitions)
					topics_add(topics, transitions ? explain_transition : explain_named, name);
}

void add_phrase_names(struct topics *topics, const char *line)
{
	add_phrases(topics, line, false);
}

void add_phrase_transitions(struct topics *topics, const char *line)
{
	add_phrases(topics, line, true);
}
