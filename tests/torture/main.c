/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "torture.h"

/* There only with a sanitizer. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static char doing[512] = "starting";
static unsigned long cases;

void torture_doing(const char *text, ...)
{
	va_list args;

	va_start(args, text);
	vsnprintf(doing, sizeof(doing), text, args);
	va_end(args);
}

static void tell(void)
{
	fprintf(stderr, "while doing: %s\n", doing);
}

void torture_check_at(int holds, const char *text, const char *file, int line)
{
	cases++;
	if (holds)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
	tell();
	exit(1);
}

void *torture_exactly(size_t size)
{
	void *bytes = malloc(size);

	torture_check(bytes || !size);
	return bytes;
}

int main(int argc, char **argv)
{
	unsigned long round, rounds;

	if (argc != 3) {
		fprintf(stderr, "usage: %s SEED ROUNDS\n", argv[0]);
		return 2;
	}
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(tell);
	fprintf(stderr, "seed: %s\n", argv[1]);
	torture_seed(strtoull(argv[1], NULL, 0));
	rounds = strtoul(argv[2], NULL, 0);
	for (round = 0; round < rounds; round++)
		torture_round();
	fprintf(stderr, "cases: %lu\n", cases);
	return 0;
}
