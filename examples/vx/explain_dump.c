/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explain_dump.h"
#include "explain_words.h"

#define WORDS 16		/* of a completion */
#define DIGITS 8		/* of each */
#define SYNDROMES 13		/* the word with both in its lower half: struct mlx5_err_cqe */
#define LINE 4			/* words of a line; the last has the opcode in its lowest byte */
#define REQ_ERR 0xd
#define RESP_ERR 0xe
#define BLANKS " \t\r\n"

static bool is_word(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return len == DIGITS;
}

/* Whether the words are the last line of a completion with an error. */
static bool is_last_line(const uint32_t *words, size_t count)
{
	uint32_t opcode = words[LINE - 1] >> 4 & 0xf;

	return count == LINE && (opcode == REQ_ERR || opcode == RESP_ERR);
}

/* Of the first 16 words in a row, or of a last line alone. @return false: there are not so many */
static bool find_syndromes(const char *text, uint32_t *syndromes)
{
	uint32_t words[WORDS] = { 0 };
	size_t len, count = 0;

	for (text += strspn(text, BLANKS); *text && count < WORDS; text += strspn(text, BLANKS)) {
		len = strcspn(text, BLANKS);
		if (is_word(text, len))
			words[count++] = (uint32_t)strtoul(text, NULL, 16);
		else
			count = 0;
		text += len;
	}
	*syndromes = words[is_last_line(words, count) ? SYNDROMES % LINE : SYNDROMES];
	return count == WORDS || is_last_line(words, count);
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
