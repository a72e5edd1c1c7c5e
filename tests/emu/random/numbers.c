/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Each step has its own, so that a step that is left out changes no other. */
#include "numbers.h"

static uint64_t state;

/* xorshift64* */
static uint32_t next(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dull >> 32;
}

void seed_step(unsigned long seed, uint32_t step)
{
	state = ((seed + 1) * 0x9e3779b97f4a7c15ull) ^ ((step + 1) * 0xbf58476d1ce4e5b9ull);
	next();
	next();
}

uint32_t below(uint32_t n)
{
	return next() % n;
}

bool one_in(uint32_t n)
{
	return !below(n);
}
