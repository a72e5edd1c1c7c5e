/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explain_dump.h"
#include "explain_words.h"

#define WORDS 16		/* of a completion */
#define DIGITS 8		/* of each */
#define SYNDROMES 13		/* the word with both in its lower half: struct mlx5_err_cqe */
#define BLANKS " \t\r\n"

static bool is_word(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return len == DIGITS;
}

/* Of the first 16 words in a row. @return false: there are not so many */
static bool find_syndromes(const char *text, uint32_t *syndromes)
{
	uint32_t words[WORDS];
	size_t len, count = 0;

	for (text += strspn(text, BLANKS); *text && count < WORDS; text += strspn(text, BLANKS)) {
		len = strcspn(text, BLANKS);
		if (is_word(text, len))
			words[count++] = (uint32_t)strtoul(text, NULL, 16);
		else
			count = 0;
		text += len;
	}
	*syndromes = count == WORDS ? words[SYNDROMES] : 0;
	return count == WORDS;
}

void add_dump(struct topics *topics, const char *text)
{
	const char *name;
	uint32_t syndromes;
	char code[16];

	if (!find_syndromes(text, &syndromes))
		return;
	name = vx_enum_name(vx_enum_find("mlx5_cqe_syndrome"), syndromes & 0xff);
	if (name)
		topics_add(topics, explain_enumerator, name);
	snprintf(code, sizeof(code), "0x%x", syndromes >> 8 & 0xff);
	topics_add(topics, explain_vendor_err, code);
}
