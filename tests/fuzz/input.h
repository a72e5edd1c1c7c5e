/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_FUZZ_INPUT_H
#define VERBSX_TESTS_FUZZ_INPUT_H

/* The fuzzer's bytes, taken from the front piece by piece. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
	const uint8_t *bytes;
	size_t size;
};

/** The next number of @p size bytes, little-endian; missing bytes are 0. */
static inline uint64_t take_number(struct input *in, size_t size)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size && in->size; i++, in->size--)
		value |= (uint64_t)*in->bytes++ << (8 * i);
	return value;
}

/** The rest as text, which ends at its first NUL, in memory that is not longer. */
static inline char *take_text(const struct input *in)
{
	char *text = malloc(in->size + 1);

	if (in->size)
		memcpy(text, in->bytes, in->size);
	text[in->size] = '\0';
	return text;
}

/** Stop, for the fuzzer to keep the input, where something does not hold. */
#define must(holds) must_at(holds, #holds)
static inline void must_at(int holds, const char *text)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", text);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
