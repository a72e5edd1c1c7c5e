/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Long lines on a terminal. */

#include <stdio.h>
#include <string.h>

#include "report.h"

#define NARROWEST 24	/* a column that is narrower than this is not worth folding into */

/* How many bytes of a text fill some columns; a byte that continues a character of UTF-8 takes none. */
static size_t bytes_of_columns(const char *text, size_t columns)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && columns-- == 0)
			break;
	return i;
}

/* Where to break a text of which so many bytes fit: after a '|', before a blank, anywhere else only if it must be. */
static size_t break_at(const char *text, size_t fits)
{
	size_t at;

	if (!text[fits] || text[fits] == ' ')
		return fits;
	for (at = fits; at > 0; at--)
		if (text[at] == ' ' || text[at - 1] == '|')
			return at;
	return strcspn(text, " |") + (text[strcspn(text, " |")] == '|');
}

void put_folded(const struct report *r, const char *text, size_t column)
{
	size_t room = r->width > column ? r->width - column : 0;

	if (room < NARROWEST) {
		puts(text);
		return;
	}
	for (;;) {
		size_t len = break_at(text, bytes_of_columns(text, room));

		printf("%.*s\n", (int)len, text);
		text += len;
		text += strspn(text, " ");
		if (!*text)
			return;
		printf("%*s", (int)column, "");
	}
}
