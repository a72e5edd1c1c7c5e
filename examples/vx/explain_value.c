/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Values of fields: "timeout" and "14". */

#include <stdlib.h>
#include <string.h>

#include "explain_range.h"
#include "pattern.h"

struct attempt {
	struct search search;
	uint64_t value;
	const char *said;		/* how it was written */
	char *words;			/* that stood beside it; NULL: whatever */
	char seen[8][128];		/* what fields of this name made of it, each once */
	size_t count;
};

static bool is_seen(struct attempt *attempt, const char *text)
{
	size_t i;

	for (i = 0; i < attempt->count; i++)
		if (!strcmp(attempt->seen[i], text))
			return true;
	if (attempt->count == sizeof(attempt->seen) / sizeof(attempt->seen[0]))
		return true;
	snprintf(attempt->seen[attempt->count++], sizeof(attempt->seen[0]), "%s", text);
	return false;
}

/* A field by its path or its name, or by what all fields of its kind are: "link_speed", "rnr_timer". */
static bool is_meant(const struct search *search, const struct place *at)
{
	if (!search->bare)
		return same_name(at->path, search->text);
	return same_name(at->field.name, search->text) || same_name(reads_as(&at->field), search->text);
}

static bool is_wrong(const struct attempt *attempt, const struct place *at)
{
	char *words = out_of_range(attempt->search.tag, at, attempt->value, attempt->said);
	bool wrong = words;

	free(words);
	return wrong;
}

/* A 0 of an init structure: logs are rather about those of rdma-core, in which it is a 0. */
static bool is_default(const struct attempt *attempt)
{
	return attempt->search.bare && !attempt->value && !strncmp(attempt->search.tag, "vx_", strlen("vx_"));
}

static size_t put_value_if_found(const struct place *at, void *data)
{
	struct attempt *attempt = data;
	char text[128];

	if ((attempt->search.text && !is_meant(&attempt->search, at)) || is_wrong(attempt, at) || is_default(attempt) ||
	    !vx_struct_field_snprint(text, sizeof(text), at->s, at->index, attempt->value) ||
	    !text[strspn(text, "0123456789")] || (attempt->words && !strcasestr(text, attempt->words)) ||
	    is_seen(attempt, text))
		return 0;
	return put_field(attempt->search.r, attempt->search.tag, at, text);
}

/* Of several fields the first that cannot have it. */
static size_t put_if_wrong(const struct place *at, void *data)
{
	struct attempt *attempt = data;
	char *wrong;

	if (attempt->count || !is_meant(&attempt->search, at))
		return 0;
	wrong = out_of_range(attempt->search.tag, at, attempt->value, attempt->said);
	if (!wrong)
		return 0;
	attempt->count++;
	put_field(attempt->search.r, attempt->search.tag, at, wrong);
	free(wrong);
	return 1;
}

/* The value that reads as a text, "LinkUp" of a phys_state; a number is none. */
static bool value_that_reads_as(const struct place *at, const char *said, uint64_t *value)
{
	const char *text;
	size_t i;

	for (i = 0; vx_struct_field_code_at(at->s, at->index, i, value, &text); i++)
		if (same_name(text, said))
			return true;
	return false;
}

/* By what it reads as; with a field's name, where it is that one. */
static size_t put_if_it_reads(const struct place *at, void *data)
{
	struct attempt *attempt = data;

	if (attempt->search.text && !is_meant(&attempt->search, at))
		return 0;
	if (!value_that_reads_as(at, attempt->said, &attempt->value))
		return 0;
	return put_value_if_found(at, data);
}

/* In all structures of programs that have the tag; "" is all. */
static size_t try_fields(struct attempt *attempt, const char *tag, visitor enter)
{
	attempt->count = 0;
	return search_in(&attempt->search, tag, enter);
}

/* What stands before a number in brackets: "PORT_ACTIVE (4)". */
static char *words_of(const char *words)
{
	size_t len = strcspn(words, "(");

	while (len && words[len - 1] == ' ')
		len--;
	return need_text("%.*s", (int)len, words);
}

/* Fields that have the value by the same words, if there are any. */
static size_t try_values(struct attempt *attempt, const char *tag, const char *words)
{
	size_t found;

	attempt->words = words_of(words);
	found = try_fields(attempt, tag, put_value_if_found);
	free(attempt->words);
	attempt->words = NULL;
	return found ? found : try_fields(attempt, tag, put_value_if_found);
}

size_t explain_field_value(struct report *r, const char *field, const char *text, const char *words)
{
	const char *dot = strchr(field, '.'), *end;
	struct attempt attempt = { .search = { .r = r, .text = dot ? dot + 1 : field, .bare = !dot }, .said = text };
	char *tag = need_text("%.*s", dot ? (int)(dot - field) : 0, field);
	size_t found = 0;
	int64_t value;

	end = read_number(text, &value);
	if (end && !*end) {
		attempt.value = (uint64_t)value;
		found = try_values(&attempt, tag, words);
		found = found ? found : try_fields(&attempt, tag, put_if_wrong);
	} else {
		attempt.search.by_text = true;
		found = try_fields(&attempt, tag, put_if_it_reads);
	}
	free(tag);
	return found;
}

/* What tools call a field that has another name. */
static const struct {
	const char *spoken;
	const char *field;
} spoken_fields[] = {
	{ "physical_state", "phys_state" }, { "width", "active_width" },
};

static const char *field_of_words(const char *words)
{
	size_t i;

	for (i = 0; i < sizeof(spoken_fields) / sizeof(spoken_fields[0]); i++)
		if (same_name(spoken_fields[i].spoken, words))
			return spoken_fields[i].field;
	return words;
}

/* The start of the last word of a text, which a blank or "/" stands before. */
static char *last_word(char *text)
{
	char *word = text + strlen(text);

	while (word > text && !strchr(" /", word[-1]))
		word--;
	return word;
}

/* A value behind words is one of the field that these name, with the word before or alone: "mlx5_0 phys state". */
static size_t try_named(struct attempt *attempt, char *words)
{
	char *word = last_word(words);
	size_t found;

	attempt->search.text = field_of_words(word);
	found = try_fields(attempt, "", put_if_it_reads);
	if (found || word == words || word[-1] != ' ')
		return found;
	word[-1] = '_';
	attempt->search.text = field_of_words(last_word(words));
	return try_fields(attempt, "", put_if_it_reads);
}

/* What stands before a value, without the number of that: "phys_state" of "phys_state:5: LinkUp". malloc()ed */
static char *words_before(const char *text, const char *value)
{
	size_t len = (size_t)(value - text);

	while (len && strchr(" :=", text[len - 1]))
		len--;
	value = text + len;
	while (len && strchr("0123456789", text[len - 1]))
		len--;
	if (!len || !strchr(" :=", text[len - 1]))	/* a digit of a name */
		len = (size_t)(value - text);
	while (len && strchr(" :=", text[len - 1]))
		len--;
	return need_text("%.*s", (int)len, text);
}

size_t explain_code_text(struct report *r, const char *text)
{
	struct attempt attempt = { .search = { .r = r, .bare = true, .by_text = true }, .said = text };
	const char *value = text + strlen(text);
	size_t found = 0;
	int64_t number;
	char *words;

	while (value > text && !strchr(":=", value[-1]))
		value--;
	if (value == text)
		return try_fields(&attempt, "", put_if_it_reads);
	attempt.said = value + strspn(value, " ");
	words = words_before(text, value);
	if (*words && !is_number(attempt.said, &number))
		found = try_named(&attempt, words);
	free(words);
	return found;
}

size_t explain_numbered(struct report *r, const char *text)
{
	const char *end, *word;
	int64_t value;

	end = read_number(text, &value);
	if (!end || *end != ':')
		return 0;
	word = end + 1 + strspn(end + 1, " ");
	return *word ? explain_all(r, NULL, word) : 0;
}
