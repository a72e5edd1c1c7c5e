/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What explains, unpacked when first it is asked for, which the first failure that has a sentence does as well: 90 kB less of the library, and
 * nobody has it in memory who does not ask and whose calls do not fail.
 * gen/plan/text/packing.py packs it.
 */

#include <pthread.h>

#include "tables.h"

/* What symbol the next bits begin with, and how many are of it. */
struct quick {
	uint8_t bits, symbol;
};

static struct quick letters[1 << VX_LONGEST_CODE], distances[1 << VX_LONGEST_CODE];

/* Up to 17 of them. What is packed ends in so many zeros that those of the last code are there. */
static uint32_t next_bits(uint32_t at, uint32_t bits)
{
	const unsigned char *bytes = vx_packed_texts + at / 8;

	return (uint32_t)(bytes[0] << 16 | bytes[1] << 8 | bytes[2]) >> (24 - at % 8 - bits) & ((1u << bits) - 1);
}

/* Codes are in the order of their lengths as numbers too. */
static void fill_quick(struct quick *quick, const struct vx_unpacking *code)
{
	const uint8_t *symbol = code->symbols, *end = symbol;
	uint8_t bits;
	int left;

	for (bits = 1; bits <= VX_LONGEST_CODE; bits++)
		for (end += code->counts[bits - 1]; symbol < end; symbol++)
			for (left = 1 << (VX_LONGEST_CODE - bits); left; left--)
				*quick++ = (struct quick){ bits, *symbol };
}

static uint32_t next_symbol(uint32_t *at, const struct quick *quick)
{
	const struct quick found = quick[next_bits(*at, VX_LONGEST_CODE)];

	*at += found.bits;
	return found.symbol;
}

/* A symbol says the two highest bits and how many others there are, which follow. */
static uint32_t next_number(uint32_t *at, uint32_t symbol)
{
	const uint32_t bits = symbol / 2 - 1, from = *at;

	if (symbol < 2)
		return symbol;
	*at += bits;
	return (2 | (symbol & 1)) << bits | next_bits(from, bits);
}

static void unpack(void)
{
	char *out = vx_texts, *const end = vx_texts + vx_texts_size;
	uint32_t at = 0;

	fill_quick(letters, &vx_letter_code);
	fill_quick(distances, &vx_distance_code);
	while (out < end) {
		const uint32_t symbol = next_symbol(&at, letters);
		uint32_t length, distance;

		if (symbol < VX_REPEATED) {
			*out++ = (char)symbol;
			continue;
		}
		length = VX_SHORTEST + next_number(&at, symbol - VX_REPEATED);
		distance = 1 + next_number(&at, next_symbol(&at, distances));
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
