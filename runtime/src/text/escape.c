/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "out.h"

/* Text of others, such as names of devices: what a terminal or a log would obey is shown as \xHH instead. */

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/*
 * The characters of UTF-8 beyond ASCII, by their first byte and how they go on: no longer than need be, no halves of UTF-16
 * pairs, none past U+10FFFF.
 */
static const struct character {
	unsigned char first, last; /* of the first byte */
	unsigned char low, high; /* of the second; of those behind it 0x80 to 0xbf */
	unsigned char len;
} characters[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static bool is_character(const struct character *c, const unsigned char *bytes, size_t len)
{
	size_t i;

	if (len < c->len || bytes[0] < c->first || bytes[0] > c->last || bytes[1] < c->low ||
	    bytes[1] > c->high)
		return false;
	for (i = 2; i < c->len; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* The length of the UTF-8 character, beyond ASCII, that text begins with; 0: it is none. */
static size_t character_length(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(characters) / sizeof(characters[0]); i++)
		if (is_character(&characters[i], (const unsigned char *)text, len))
			return characters[i].len;
	return 0;
}

/* What surrounds a text decides what it may hold. */
enum surroundings {
	NOTHING,
	QUOTES,
	JSON_QUOTES,
};

/* The length of the character that text begins with; 0: what is none, or not to be seen, goes by its bytes. */
static size_t clean_length(const char *text, size_t len, enum surroundings around)
{
	size_t clean = is_printable(*text) ? 1 : character_length(text, len);
	bool steers = clean == 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0; /* some terminals */

	return steers && around != JSON_QUOTES ? 0 : clean;
}

static bool is_quoted(char c)
{
	return c == '"' || c == '\\';
}

/* Whether eight characters are printable: of those the upper bit is neither set, nor after 0x20 is taken, nor after 1 is given. */
static bool are_printable(const char *text)
{
	uint64_t eight;

	memcpy(&eight, text, sizeof(eight));
	return !((eight | (eight - VX_EACH(' ')) | (eight + VX_EACH(1))) & VX_EACH(0x80));
}

/* How much of a text is put as it is, which is all of most. */
static size_t plain_length(const char *text, const char *end, enum surroundings around)
{
	const char *at = text;

	if (around == NOTHING && end - at >= 8) {
		while (end - at > 8 && are_printable(at))
			at += 8;
		if (end - at <= 8 && are_printable(end - 8)) /* some of which were looked at before */
			return (size_t)(end - text);
	}
	while (at < end && is_printable(*at) && (around == NOTHING || !is_quoted(*at)))
		at++;
	return (size_t)(at - text);
}

static void put_escaped(struct vx_out *out, const char *text, size_t len, enum surroundings around)
{
	const char *end = text + len;
	size_t clean = plain_length(text, end, around);

	vx_put(out, text, clean);
	for (text += clean; text < end; text += clean ? clean : 1) {
		clean = clean_length(text, (size_t)(end - text), around);
		if (!clean) {
			vx_put_string(out, around == JSON_QUOTES ? "\\u00" : "\\x");
			vx_put_hex_bytes(out, (const unsigned char *)text, 1, 0);
		} else if (around != NOTHING && is_quoted(*text)) {
			vx_put_char(out, '\\');
		}
		vx_put(out, text, clean);
	}
}

void vx_put_plain(struct vx_out *out, const char *text, size_t len)
{
	put_escaped(out, text, len, NOTHING);
}

static void put_quoted(struct vx_out *out, const char *text, size_t len, enum surroundings around)
{
	vx_put_char(out, '"');
	put_escaped(out, text, len, around);
	vx_put_char(out, '"');
}

void vx_put_word(struct vx_out *out, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && is_printable(text[i]) && !strchr(" !\"#$&'()*,;<=>?[\\]^`{}~", text[i])) /* no more than a letter to shells and readers */
		i++;
	if (len && i == len)
		vx_put(out, text, len);
	else
		put_quoted(out, text, len, QUOTES);
}

void vx_put_json_string(struct vx_out *out, const char *text, size_t len)
{
	put_quoted(out, text, len, JSON_QUOTES);
}
