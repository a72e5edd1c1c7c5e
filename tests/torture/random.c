/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <string.h>

#include "torture.h"

static uint64_t state;

void torture_seed(uint64_t seed)
{
	state = seed;
}

/* SplitMix64: any seed will do, also 0. */
uint64_t torture_random(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

size_t torture_below(size_t end)
{
	return torture_random() % end;
}

uint64_t torture_number(void)
{
	return torture_random() >> torture_below(64);
}

static void fill_noise(unsigned char *bytes, size_t size)
{
	while (size--)
		*bytes++ = (unsigned char)torture_random();
}

static void fill_bits(unsigned char *bytes, size_t size)
{
	size_t i;

	memset(bytes, 0, size);
	for (i = 0; size && i < 8; i++)
		bytes[torture_below(size)] |= 1u << torture_below(8);
}

static void fill_words(unsigned char *bytes, size_t size)
{
	uint32_t word;
	size_t i;

	memset(bytes, 0, size);
	for (i = 0; i + sizeof(word) <= size; i += sizeof(word)) {
		word = (uint32_t)torture_below(16);
		memcpy(bytes + i, &word, sizeof(word));
	}
}

void torture_fill(unsigned char *bytes, size_t size)
{
	switch (torture_below(8)) {
	case 0:
		memset(bytes, 0, size);
		break;
	case 1:
		memset(bytes, 0xff, size);
		break;
	case 2:
		fill_bits(bytes, size);
		break;
	case 3:
	case 4:
		fill_words(bytes, size);
		break;
	default:
		fill_noise(bytes, size);
	}
}
