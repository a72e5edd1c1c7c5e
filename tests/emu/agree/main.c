/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Random programs for any device of RoCE, which tell all that becomes of what they do:
 *
 *	verbsx-emu-agree SEED COUNT
 *
 * The same seed tells the same on each device that does what the InfiniBand architecture says.
 */
#include "agree.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	MIN_STEPS = 8,
	MAX_STEPS = 24
};

static void run_program(unsigned long seed)
{
	uint32_t count;

	seed_step(seed, 0);
	count = MIN_STEPS + below(MAX_STEPS - MIN_STEPS);
	printf("program %lu: ", seed);
	fill_buffer();
	make_qps();
	bring_up();
	for (uint32_t i = 1; i < count; i++) {
		seed_step(seed, i);
		if (!is_up() && !one_in(4)) {
			printf("bring up\n");
			bring_up();
		}
		random_step();
		observe();
	}
	printf("end\n");
	destroy_qps();
}

int main(int argc, char **argv)
{
	unsigned long first, count;

	if (argc != 3) {
		fprintf(stderr, "usage: %s SEED COUNT\n", argv[0]);
		return 2;
	}
	setlinebuf(stdout);
	first = strtoul(argv[1], NULL, 0);
	count = strtoul(argv[2], NULL, 0);
	open_bed();
	for (unsigned long i = 0; i < count; i++)
		run_program(first + i);
	close_bed();
	return 0;
}
