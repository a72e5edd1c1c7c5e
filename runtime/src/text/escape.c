/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "out.h"

static bool is_ascii_word(char c)
{
	switch (c) {
	case '_':
	case '.':
	case ':':
	case '/':
	case '+':
	case '-':
	case '%':
	case '@':
	case '|':
		return true;
	default:
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
	}
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

static bool continues(const unsigned char *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* The length of the UTF-8 character, beyond ASCII, that text begins with; 0: it is none. */
static size_t character_length(const char *text, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)text;
	unsigned int first = bytes[0];

	if (first >= 0xc2 && first <= 0xdf)
		return len >= 2 && continues(bytes + 1, 1) ? 2 : 0;
	if (first >= 0xe0 && first <= 0xef) {
		if (len < 3 || !continues(bytes + 1, 2))
			return 0;
		/* not longer than need be; not half of a UTF-16 pair */
		return (first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f) ? 0 : 3;
	}
	if (first >= 0xf0 && first <= 0xf4) {
		if (len < 4 || !continues(bytes + 1, 3))
			return 0;
		return (first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f) ? 0 : 4;
	}
	return 0;
}

/* U+0080 to U+009F steer some terminals. */
static bool is_control(const char *text)
{
	return (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
}

static bool is_quoted(char c)
{
	return c == '"' || c == '\\';
}

/* What surrounds a text decides what it may hold. */
enum surroundings {
	NOTHING,
	QUOTES,
	JSON_QUOTES,
};

/* The length of what may be copied as it stands. */
static size_t clean_length(const char *text, size_t len, enum surroundings around)
{
	size_t i = 0, character;

	while (i < len) {
		if (is_printable(text[i])) {
			if (around != NOTHING && is_quoted(text[i]))
				break;
			i++;
			continue;
		}
		character = character_length(text + i, len - i);
		if (!character || (around != JSON_QUOTES && is_control(text + i)))
			break;
		i += character;
	}
	return i;
}

static void put_escaped(struct vx_out *out, const char *text, size_t len, enum surroundings around)
{
	size_t clean;

	for (;;) {
		clean = clean_length(text, len, around);
		vx_put(out, text, clean);
		if (clean == len)
			return;
		if (is_printable(text[clean])) {
			vx_put_char(out, '\\');
			vx_put_char(out, text[clean]);
		} else {
			vx_put_string(out, around == JSON_QUOTES ? "\\u00" : "\\x");
			vx_put_hex_digits(out, (unsigned char)text[clean], 2);
		}
		text += clean + 1;
		len -= clean + 1;
	}
}

void vx_put_plain(struct vx_out *out, const char *text, size_t len)
{
	put_escaped(out, text, len, NOTHING);
}

void vx_put_word(struct vx_out *out, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && is_ascii_word(text[i]))
		i++;
	if (len && i == len) {
		vx_put(out, text, len);
		return;
	}
	vx_put_char(out, '"');
	put_escaped(out, text, len, QUOTES);
	vx_put_char(out, '"');
}

void vx_put_json_string(struct vx_out *out, const char *text, size_t len)
{
	vx_put_char(out, '"');
	put_escaped(out, text, len, JSON_QUOTES);
	vx_put_char(out, '"');
}
