/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pattern.h"
#include "report.h"

#define BETWEEN " =:(#["	/* words and a number */
#define BLANKS " \t\r\n"
#define END "$"			/* of the text, at the end of a pattern */
#define DOTS "..."		/* for what is any text */
#define NUMBER "#"		/* where it is in a pattern; otherwise at the end */

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool begins_word(const char *text, const char *place)
{
	return !is_of_word(*place) || place == text || !is_of_word(place[-1]);
}

/*
 * Thousands of patterns are looked for in each line of a log, and next to none is there: nearly all of them have two letters side by side
 * that the line has not. Of which text these are is looked up, as another may be where it was.
 */
static struct {
	char *text;
	size_t room;
	uint64_t pairs[UCHAR_MAX + 1][(UCHAR_MAX + 1) / 64];
} seen;

/* Where a pair has its bit. */
static uint64_t *word_of(const char *pair, uint64_t *bit)
{
	const unsigned char second = (unsigned char)tolower((unsigned char)pair[1]);

	*bit = UINT64_C(1) << second % 64;
	return &seen.pairs[(unsigned char)tolower((unsigned char)*pair)][second / 64];
}

static void see(const char *text)
{
	const size_t size = strlen(text) + 1;
	uint64_t bit, *word;

	if (size > seen.room)
		seen.text = need_memory(seen.text, seen.room = 2 * size);
	memcpy(seen.text, text, size);
	memset(seen.pairs, 0, sizeof(seen.pairs));
	for (; *text; text++) {
		word = word_of(text, &bit);
		*word |= bit;
	}
}

bool may_have(const char *text, const char *part, size_t len)
{
	uint64_t bit;

	if (!seen.text || strcmp(seen.text, text))
		see(text);
	for (; len > 1; part++, len--)
		if (!(*word_of(part, &bit) & bit))
			return false;
	return true;
}

/* The next place of a part of a pattern at or behind @p from. @return where it ends, NULL: nowhere */
static const char *find(const char *text, const char *from, const char *part, size_t len)
{
	const int first = tolower((unsigned char)*part);	/* most places are none by that alone */

	for (; *from; from++)
		if (tolower((unsigned char)*from) == first && !strncasecmp(from, part, len) && begins_word(text, from))
			return from + len;
	return NULL;
}

/* Find all parts but the last. @return behind them, NULL: they are not there; @p last is the last one */
static const char *find_first_parts(const char *text, const char *pattern, const char **last)
{
	const char *at = may_have(text, pattern, strcspn(pattern, "*" END NUMBER)) ? text : NULL, *star;

	while (at && (star = strchr(pattern, '*'))) {
		at = find(text, at, pattern, (size_t)(star - pattern));
		pattern = star + 1;
	}
	*last = pattern;
	return at;
}

bool next_of_names(const char **names, char name[LONGEST_NAME])
{
	size_t len = strcspn(*names, "|"), kept;

	if (!len)
		return false;
	kept = len < LONGEST_NAME ? len : LONGEST_NAME - 1;
	memcpy(name, *names, kept);
	name[kept] = '\0';
	*names += len + ((*names)[len] == '|');
	return true;
}

bool has_pattern(const char *text, const char *pattern)
{
	const char *last, *at = find_first_parts(text, pattern, &last);
	size_t len = strcspn(last, END);

	while (at && (at = find(text, at, last, len)) && last[len] && at[strspn(at, BLANKS)])
		;
	return at;
}

char *pattern_as_read(const char *pattern)
{
	char *text = need_memory(NULL, strlen(DOTS) * strlen(pattern) + 1), *out = text;

	for (; *pattern && *pattern != '$'; pattern++) {
		if (*pattern == '*')
			out = stpcpy(out, DOTS);
		else
			*out++ = *pattern;
	}
	*out = '\0';
	return text;
}

bool is_binary(const char *digits)
{
	return digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
}

const char *read_number(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	char *end;

	if (!isdigit((unsigned char)text[negative]) || is_binary(text + negative))
		return NULL;
	errno = 0;
	*value = negative ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	if (errno || is_of_word(*end) || (*end == '.' && isdigit((unsigned char)end[1])))
		return NULL;
	return end;
}

/* The same of a number that is hexadecimal, though it may not look like it. */
static const char *read_hex(const char *text, int64_t *value)
{
	char *end;

	if (*text == '-')
		return read_number(text, value);
	if (!isxdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*value = (int64_t)strtoull(text, &end, 16);
	return errno || is_of_word(*end) ? NULL : end;
}

typedef const char *(*reader)(const char *text, int64_t *value);

/* The number behind the words of a pattern, whatever else that has. */
static struct number next_number(const char *text, const char *pattern, const char *after, reader read)
{
	const char *last, *at = find_first_parts(text, pattern, &last);
	struct number number = { .place = NULL };
	size_t len = strcspn(last, NUMBER);

	for (at = at && at < after ? after : at; at && (at = find(text, at, last, len));) {
		number.place = at + strspn(at, BETWEEN);
		if (number.place > at && read(number.place, &number.value))
			return number;
	}
	return (struct number){ .place = NULL };
}

static struct number read_behind(const char *text, const char *pattern, const char *after, reader read)
{
	const char *behind = strpbrk(pattern, NUMBER);
	struct number number = next_number(text, pattern, after, read);

	while (number.place && behind && !has_pattern(number.place, behind + 1))
		number = next_number(text, pattern, number.place, read);
	return number;
}

struct number number_behind(const char *text, const char *pattern, const char *after)
{
	return read_behind(text, pattern, after, read_number);
}

struct number hex_behind(const char *text, const char *pattern, const char *after)
{
	return read_behind(text, pattern, after, read_hex);
}
