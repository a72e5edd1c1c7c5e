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
#define LAST_BYTES "00000030:" /* before the last line, where the kernel shows bytes */
#define BLANKS " \t\r\n"

static bool is_hex(const char *text, size_t len, size_t digits)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return len == digits;
}

/* Whether the words are the last line of a completion with an error. */
static bool is_last_line(const uint32_t *words, size_t count)
{
	uint32_t opcode = words[LINE - 1] >> 4 & 0xf;

	return count == LINE && (opcode == REQ_ERR || opcode == RESP_ERR);
}

/* Of the last line as the kernel shows it: "00000030: 00 00 00 00 00 00 88 13 08 00 01 23 00 00 e5 d2". @return false: it is not there */
static bool find_in_bytes(const char *text, uint32_t *syndromes)
{
	uint32_t words[LINE] = { 0 };
	size_t i, len;

	text = strstr(text, LAST_BYTES);
	if (!text)
		return false;
	text += strlen(LAST_BYTES);
	for (i = 0; i < sizeof(words); i++, text += len) {
		text += strspn(text, BLANKS);
		len = strcspn(text, BLANKS);
		if (!is_hex(text, len, 2))
			return false;
		words[i / sizeof(words[0])] = words[i / sizeof(words[0])] << 8 | (uint32_t)strtoul(text, NULL, 16);
	}
	*syndromes = words[SYNDROMES % LINE];
	return is_last_line(words, LINE);
}

/* Of the first 16 words in a row, or of a last line alone. @return false: there are not so many */
static bool find_in_words(const char *text, uint32_t *syndromes)
{
	uint32_t words[WORDS] = { 0 };
	size_t len, count = 0;

	for (text += strspn(text, BLANKS); *text && count < WORDS; text += strspn(text, BLANKS)) {
		len = strcspn(text, BLANKS);
		if (is_hex(text, len, DIGITS))
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

	if (!find_in_words(text, &syndromes) && !find_in_bytes(text, &syndromes))
		return;
	name = vx_enum_name(vx_enum_find("mlx5_cqe_syndrome"), syndromes & 0xff);
	if (name)
		topics_add(topics, explain_enumerator, name);
	snprintf(code, sizeof(code), "0x%x", syndromes >> 8 & 0xff);
	topics_add(topics, explain_vendor_err, code);
}
