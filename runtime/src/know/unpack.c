/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What explains, unpacked when first it is asked for, which the first failure that has a sentence does as well: 90 kB less of the library, and
 * nobody has it in memory who does not ask and whose calls do not fail.
 * gen/plan/text/packing.py packs it.
 */

#include <pthread.h>

#include "tables.h"

#define FIRST 8	/* bits of a code, that nearly all end within */

/* What symbol the next bits begin with, and how many are of it; 0: more than these. */
struct quick {
	uint8_t bits, symbol;
};

static struct quick letters[1 << FIRST], distances[1 << FIRST];

static uint32_t next_bit(uint32_t *at)
{
	const uint32_t place = (*at)++;

	return vx_packed_texts[place / 8] >> (7 - place % 8) & 1;
}

/* Those that a code or a number begins with. Behind the last byte there is the NUL that ends a literal. */
static uint32_t next_bits(uint32_t at)
{
	const unsigned char *bytes = vx_packed_texts + at / 8;

	return (uint32_t)(bytes[0] << 8 | bytes[1]) >> (8 - at % 8) & 0xff;
}

/* Codes are in the order of their lengths as numbers too. */
static void fill_quick(struct quick *quick, const struct vx_unpacking *code)
{
	const uint8_t *symbol = code->symbols, *end = symbol;
	uint8_t bits;
	int left;

	for (bits = 1; bits <= FIRST; bits++)
		for (end += code->counts[bits - 1]; symbol < end; symbol++)
			for (left = 1 << (FIRST - bits); left; left--)
				*quick++ = (struct quick){ bits, *symbol };
}

/* Codes of one length are numbers that follow each other, behind twice the last one of those that are shorter. */
static uint32_t next_long(uint32_t *at, const struct vx_unpacking *code)
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

static uint32_t next_symbol(uint32_t *at, const struct quick *quick, const struct vx_unpacking *code)
{
	const struct quick found = quick[next_bits(*at)];

	*at += found.bits;
	return found.bits ? found.symbol : next_long(at, code);
}

/* A symbol says the two highest bits and how many others there are, which follow. */
static uint32_t next_number(uint32_t *at, uint32_t symbol)
{
	uint32_t number = 2 | (symbol & 1), bits = symbol / 2;

	if (symbol < 2)
		return symbol;
	for (bits--; bits > FIRST; bits -= FIRST, *at += FIRST)
		number = number << FIRST | next_bits(*at);
	number = number << bits | next_bits(*at) >> (FIRST - bits);
	*at += bits;
	return number;
}

static void unpack(void)
{
	char *out = vx_texts, *const end = vx_texts + vx_texts_size;
	uint32_t at = 0;

	fill_quick(letters, &vx_letter_code);
	fill_quick(distances, &vx_distance_code);
	while (out < end) {
		const uint32_t symbol = next_symbol(&at, letters, &vx_letter_code);
		uint32_t length, distance;

		if (symbol < VX_REPEATED) {
			*out++ = (char)symbol;
			continue;
		}
		length = VX_SHORTEST + next_number(&at, symbol - VX_REPEATED);
		distance = 1 + next_number(&at, next_symbol(&at, distances, &vx_distance_code));
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
