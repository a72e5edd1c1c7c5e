/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_TASKS = 16, MAX_ROUNDS = 255 };

static uint64_t spent[MAX_TASKS][MAX_ROUNDS];

uint64_t thread_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void report(const char *name, double ns)
{
	printf("%s\t%.3f\n", name, ns);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double median(uint64_t *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), compare);
	return ((double)values[(count - 1) / 2] + (double)values[count / 2]) / 2;
}

static void run_round(const struct task *tasks, size_t count, unsigned int times, unsigned int round)
{
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t start = thread_time();

		tasks[i].run(times);
		spent[i][round] = thread_time() - start;
	}
}

static void report_tasks(const struct task *tasks, size_t count, unsigned int times, unsigned int rounds)
{
	double empty = median(spent[0], rounds);
	size_t i;

	for (i = 1; i < count; i++)
		report(tasks[i].name,
		       (median(spent[i], rounds) - empty) / times / (tasks[i].units ? tasks[i].units : 1));
}

static unsigned int argument(int argc, char **argv, int index, unsigned int otherwise)
{
	return argc > index ? (unsigned int)strtoul(argv[index], NULL, 10) : otherwise;
}

int measure(const struct task *tasks, size_t count, int argc, char **argv)
{
	unsigned int times = argument(argc, argv, 1, 10000), rounds = argument(argc, argv, 2, 51), round;

	if (count > MAX_TASKS || !times || !rounds || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: %s [TIMES [ROUNDS]], at most %d rounds\n", argv[0], MAX_ROUNDS);
		return 2;
	}
	/* Once before it counts: pages, caches and the predictors of branches are cold. */
	run_round(tasks, count, times, 0);
	for (round = 0; round < rounds; round++)
		run_round(tasks, count, times, round);
	report_tasks(tasks, count, times, rounds);
	return 0;
}
