/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What explains, unpacked when first it is asked for: 90 kB less of the library, and nobody has it in memory who does not ask.
 * gen/plan/packing.py packs it.
 */

#include <pthread.h>

#include "tables.h"

static uint32_t next_bit(uint32_t *at)
{
	const uint32_t place = (*at)++;

	return vx_packed_texts[place / 8] >> (7 - place % 8) & 1;
}

/* Codes of one length are numbers that follow each other, behind twice the last one of those that are shorter. */
static uint32_t next_symbol(uint32_t *at, const struct vx_unpacking *code)
{
	const uint8_t *symbols = code->symbols;
	uint32_t length, number = 0;

	for (length = 0; length < VX_LONGEST_CODE; length++) {
		number = number << 1 | next_bit(at);
		if (number < code->counts[length])
			return symbols[number];
		number -= code->counts[length];
		symbols += code->counts[length];
	}
	return 0;
}

/* A symbol says the two highest bits and how many others there are, which follow. */
static uint32_t next_number(uint32_t *at, uint32_t symbol)
{
	uint32_t number = 2 | (symbol & 1), bits = symbol / 2;

	if (symbol < 2)
		return symbol;
	while (--bits)
		number = number << 1 | next_bit(at);
	return number;
}

static void unpack(void)
{
	char *out = vx_texts, *const end = vx_texts + vx_texts_size;
	uint32_t at = 0;

	while (out < end) {
		const uint32_t symbol = next_symbol(&at, &vx_letter_code);
		uint32_t length, distance;

		if (symbol < VX_REPEATED) {
			*out++ = (char)symbol;
			continue;
		}
		length = VX_SHORTEST + next_number(&at, symbol - VX_REPEATED);
		distance = 1 + next_number(&at, next_symbol(&at, &vx_distance_code));
		for (; length; length--, out++)
			*out = out[-(ptrdiff_t)distance];
	}
}

const char *vx_text_at(uint32_t place)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, unpack);
	return vx_texts + place;
}
