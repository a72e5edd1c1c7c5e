/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
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

/** The rest in memory of its own, exactly as long, so that one byte beyond is noticed. */
static inline void *take_rest(const struct input *in)
{
	void *copy = malloc(in->size);

	if (in->size)
		memcpy(copy, in->bytes, in->size);
	return copy;
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
