/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Text from outside: every byte, and every kind of character at its bounds. */

#include <criterion/criterion.h>
#include <string.h>

#include "text/out.h"

typedef void (*putter)(struct vx_out *out, const char *text, size_t len);

static const char *put(putter how, const char *text, size_t len)
{
	static char buf[64];
	struct vx_out out = vx_out_in(buf, sizeof(buf));

	how(&out, text, len);
	vx_out_finish(&out);
	return buf;
}

/* What is printable stands as it is; the rest as \xNN. */
static void expect_plain(const char *text, const char *plain)
{
	cr_expect_str_eq(put(vx_put_plain, text, strlen(text)), plain);
}

static void expect_kept(const char *text)
{
	expect_plain(text, text);
}

/* Of a long text several characters are looked at at once. */
Test(escape, finds_what_is_not_to_be_seen_wherever_it_is)
{
	static const char others[] = { '\x01', '\x1f', '\x7f', '\x80', '\xff', '\n' };
	char text[25], wanted[32], hex[5];
	size_t at, i;

	for (i = 0; i < sizeof(others); i++)
		for (at = 0; at < sizeof(text) - 1; at++) {
			memset(text, at % 2 ? ' ' : '~', sizeof(text) - 1);
			text[sizeof(text) - 1] = '\0';
			snprintf(hex, sizeof(hex), "\\x%02x", (unsigned char)others[i]);
			snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)at, text, hex, text + at + 1);
			text[at] = others[i];
			cr_expect_str_eq(put(vx_put_plain, text, strlen(text)), wanted);
		}
}

Test(escape, printable_ascii_is_kept_and_control_characters_are_not)
{
	unsigned int c;
	char wanted[8];

	for (c = 0; c < 0x80; c++) {
		char text = (char)c;

		snprintf(wanted, sizeof(wanted), c < ' ' || c == 0x7f ? "\\x%02x" : "%c", c);
		cr_expect_str_eq(put(vx_put_plain, &text, 1), wanted);
	}
}

Test(escape, characters_of_utf8_are_kept_up_to_their_bounds)
{
	expect_kept("\xc2\xa0");
	expect_kept("\xdf\xbf");
	expect_kept("\xe0\xa0\x80");
	expect_kept("\xe1\x80\x80");
	expect_kept("\xec\xbf\xbf");
	expect_kept("\xed\x9f\xbf");
	expect_kept("\xee\x80\x80");
	expect_kept("\xef\xbf\xbf");
	expect_kept("\xf0\x90\x80\x80");
	expect_kept("\xf1\x80\x80\x80");
	expect_kept("\xf3\xbf\xbf\xbf");
	expect_kept("\xf4\x8f\xbf\xbf");
}

Test(escape, what_lies_beyond_the_bounds_is_not_utf8)
{
	expect_plain("\x80", "\\x80");
	expect_plain("\xbf", "\\xbf");
	expect_plain("\xc1\xbf", "\\xc1\\xbf");
	expect_plain("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
	expect_plain("\xed\xa0\x80", "\\xed\\xa0\\x80");
	expect_plain("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
	expect_plain("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	expect_plain("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
	expect_plain("\xff", "\\xff");
}

Test(escape, a_character_that_is_cut_or_broken_is_bytes)
{
	expect_plain("\xc3", "\\xc3");
	expect_plain("\xc3" "a", "\\xc3" "a");
	expect_plain("\xc3\xc0", "\\xc3\\xc0");
	expect_plain("\xe2\x82", "\\xe2\\x82");
	expect_plain("\xe2\x82\x7f", "\\xe2\\x82\\x7f");
	expect_plain("\xf0\x9f\x98", "\\xf0\\x9f\\x98");
	expect_plain("\xf0\x9f\x98 ", "\\xf0\\x9f\\x98 ");
	cr_expect_str_eq(put(vx_put_plain, "\xc3\xa4", 1), "\\xc3", "not read past the length");
	cr_expect_str_eq(put(vx_put_plain, "\xe2\x82\xac", 2), "\\xe2\\x82");
	cr_expect_str_eq(put(vx_put_plain, "\xf0\x9f\x98\x80", 3), "\\xf0\\x9f\\x98");
}

Test(escape, control_characters_of_unicode_are_escaped_but_in_json)
{
	expect_plain("\xc2\x80", "\\xc2\\x80");
	expect_plain("\xc2\x9f", "\\xc2\\x9f");
	expect_plain("\xc3\x80", "\xc3\x80");
	cr_expect_str_eq(put(vx_put_word, "\xc2\x9b", 2), "\"\\xc2\\x9b\"");
	cr_expect_str_eq(put(vx_put_json_string, "\xc2\x9b", 2), "\"\xc2\x9b\"");
}

Test(escape, quotes_and_backslashes_are_escaped_within_quotes)
{
	expect_kept("a\"b\\c");
	cr_expect_str_eq(put(vx_put_word, "a\"b\\c", 5), "\"a\\\"b\\\\c\"");
	cr_expect_str_eq(put(vx_put_json_string, "a\"b\\c\n", 6), "\"a\\\"b\\\\c\\u000a\"");
}

Test(escape, a_word_is_of_letters_digits_and_a_few_signs)
{
	static const char signs[] = "_.:/+-%@|";
	unsigned int c;

	for (c = 1; c < 0x80; c++) {
		char text[] = { 'a', (char)c, '\0' };
		bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr(signs, (int)c);

		cr_expect_eq(put(vx_put_word, text, 2)[0] == 'a', plain, "%u", c);
	}
	cr_expect_str_eq(put(vx_put_word, "", 0), "\"\"");
	cr_expect_str_eq(put(vx_put_word, "a b", 1), "a");
}
