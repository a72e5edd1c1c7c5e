/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <inttypes.h>
#include <stdio.h>

#include "report.h"

#define SURE (INT64_C(1) << 53) /* many readers keep no more bits */

char *json_number(int64_t number)
{
	return need_text(number > SURE || number < -SURE ? "\"%" PRId64 "\"" : "%" PRId64, number);
}

char *json_bits(uint64_t number)
{
	return need_text(number > SURE ? "\"%" PRIu64 "\"" : "%" PRIu64, number);
}

static void put_json_char(unsigned char c)
{
	if (c == '"' || c == '\\')
		printf("\\%c", c);
	else if (c < ' ' || c == 0x7f)
		printf("\\u%04x", c);
	else
		putchar(c);
}

/* The length of a character of UTF-8; 0: it is none. */
static size_t utf8_length(const unsigned char *text)
{
	size_t len = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;
	size_t i;

	for (i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* What is no UTF-8, as an argument of the command line may be, is replaced: JSON is nothing else. */
void put_json_string(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putchar('"');
	while (*at) {
		size_t len = utf8_length(at);

		if (len > 1)
			fwrite(at, 1, len, stdout);
		else if (len == 1)
			put_json_char(*at);
		else
			fputs("\\ufffd", stdout);
		at += len ? len : 1;
	}
	putchar('"');
}
