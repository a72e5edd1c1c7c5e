/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "json.h"

static const char *value_end(const char *text);

static const char *skip(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

static const char *hex_end(const char *text)
{
	int i;

	for (i = 0; i < 4; i++)
		if (!isxdigit((unsigned char)text[i]))
			return NULL;
	return text + 4;
}

static const char *escape_end(const char *text)
{
	if (*text == 'u')
		return hex_end(text + 1);
	return *text && strchr("\"\\/bfnrt", *text) ? text + 1 : NULL;
}

/* The C library knows UTF-8: the caller has set such a locale. */
static const char *character_end(const char *text)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t len;

	if ((unsigned char)*text < ' ')
		return NULL;
	len = mbrtowc(&wide, text, strlen(text), &state);
	return len == (size_t)-1 || len == (size_t)-2 ? NULL : text + len;
}

static const char *string_end(const char *text)
{
	for (text++; text && *text != '"';)
		text = *text == '\\' ? escape_end(text + 1) : character_end(text);
	return text ? text + 1 : NULL;
}

static const char *number_end(const char *text)
{
	const char *digits = text + (*text == '-');
	size_t len = strspn(digits, "0123456789");

	return len == 0 || (len > 1 && *digits == '0') ? NULL : digits + len;
}

static const char *word_end(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) ? NULL : text + strlen(word);
}

static const char *member_end(const char *text, char close)
{
	if (close == '}') {
		text = *text == '"' ? string_end(text) : NULL;
		text = text ? skip(text) : NULL;
		if (!text || *text++ != ':')
			return NULL;
	}
	return value_end(skip(text));
}

static const char *list_end(const char *text, char close)
{
	text = skip(text + 1);
	if (*text == close)
		return text + 1;
	for (;;) {
		text = member_end(text, close);
		text = text ? skip(text) : NULL;
		if (!text || (*text != ',' && *text != close))
			return NULL;
		if (*text++ == close)
			return text;
		text = skip(text);
	}
}

static const char *value_end(const char *text)
{
	switch (*text) {
	case '{':
		return list_end(text, '}');
	case '[':
		return list_end(text, ']');
	case '"':
		return string_end(text);
	case 't':
		return word_end(text, "true");
	case 'f':
		return word_end(text, "false");
	case 'n':
		return word_end(text, "null");
	default:
		return number_end(text);
	}
}

bool json_is_valid(const char *text)
{
	const char *end = value_end(skip(text));

	return end && !*skip(end);
}
