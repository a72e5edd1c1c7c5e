/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE /* sched_getcpu() */
#include "measure.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_TASKS = 16, MAX_ROUNDS = 255, BLOCK = 10, TURNS = 20 };

static int64_t spent[MAX_TASKS][MAX_ROUNDS];

uint64_t thread_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool stay_on_one_processor(void)
{
	int here = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	if (here < 0 || here >= CPU_SETSIZE)
		return false;
	CPU_SET(here, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

void report(const char *name, double ns)
{
	printf("%s\t%.3f\n", name, ns);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

double median(int64_t *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), compare);
	return ((double)values[(count - 1) / 2] + (double)values[count / 2]) / 2;
}

static int64_t time_of(void (*run)(unsigned int times), unsigned int times)
{
	uint64_t start = thread_time();

	run(times);
	return (int64_t)(thread_time() - start);
}

static void run_round(const struct task *tasks, size_t count, unsigned int times, unsigned int round)
{
	size_t i;

	for (i = 0; i < count; i++)
		spent[i][round] = time_of(tasks[i].run, times);
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

struct amount {
	unsigned int times, rounds;
};

static bool read_amount(struct amount *amount, size_t count, int argc, char **argv)
{
	*amount = (struct amount){ argument(argc, argv, 1, 10000), argument(argc, argv, 2, 51) };
	if (count <= MAX_TASKS && amount->times && amount->rounds && amount->rounds <= MAX_ROUNDS)
		return true;
	fprintf(stderr, "usage: %s [TIMES [ROUNDS]], at most %d rounds\n", argv[0], MAX_ROUNDS);
	return false;
}

int measure(const struct task *tasks, size_t count, int argc, char **argv)
{
	struct amount amount;
	unsigned int round;

	if (!read_amount(&amount, count, argc, argv))
		return 2;
	/* Once before it counts: pages, caches and the predictors of branches are cold. */
	run_round(tasks, count, amount.times, 0);
	for (round = 0; round < amount.rounds; round++)
		run_round(tasks, count, amount.times, round);
	report_tasks(tasks, count, amount.times, amount.rounds);
	return 0;
}

/* ---- pairs ---- */

struct taken {
	int64_t *run, *raw, *more;	/* of two blocks each */
};

static void run_pair(const struct pair *pair, unsigned int times, const struct taken *taken, unsigned int index)
{
	int64_t raw = time_of(pair->raw, times), run = time_of(pair->run, times);

	run += time_of(pair->run, times);
	raw += time_of(pair->raw, times);
	taken->run[index] = run;
	taken->raw[index] = raw;
	taken->more[index] = run - raw;
}

static void run_nothing(unsigned int times)
{
	keep(times);
}

static const struct pair empty = { "empty", run_nothing, run_nothing };

static void report_as(const char *name, const char *what, double blocks, unsigned int times)
{
	char text[64];

	snprintf(text, sizeof(text), "%s.%s", name, what);
	report(text, blocks / (2 * times));
}

/* Some of its blocks, after one that does not count. */
static void run_blocks(const struct pair *pair, unsigned int times, const struct taken *taken, unsigned int from, unsigned int to)
{
	unsigned int i;

	if (from < to)
		run_pair(pair, times, taken, from);
	for (i = from; i < to; i++)
		run_pair(pair, times, taken, i);
}

static struct taken taken_of(int64_t *room, size_t index, unsigned int blocks)
{
	int64_t *run = room + index * 3 * blocks;

	return (struct taken){ run, run + blocks, run + 2 * (size_t)blocks };
}

/* In turns, so that a minute in which the machine is slow is one for all of them; behind the pairs, what the clock takes. */
static void run_in_turns(const struct pair *pairs, size_t count, unsigned int times, int64_t *room, unsigned int blocks)
{
	unsigned int turn;
	struct taken taken;
	size_t i;

	for (turn = 0; turn < TURNS; turn++)
		for (i = 0; i <= count; i++) {
			taken = taken_of(room, i, blocks);
			run_blocks(i < count ? &pairs[i] : &empty, times, &taken, (unsigned int)((uint64_t)blocks * turn / TURNS),
				   (unsigned int)((uint64_t)blocks * (turn + 1) / TURNS));
		}
}

static void report_pair(const char *name, const struct taken *taken, unsigned int blocks, double clock, unsigned int times)
{
	report_as(name, "vx", median(taken->run, blocks) - clock, times);
	report_as(name, "raw", median(taken->raw, blocks) - clock, times);
	report_as(name, "more", median(taken->more, blocks), times);
}

int measure_pairs(const struct pair *pairs, size_t count, int argc, char **argv)
{
	struct amount amount;
	unsigned int times, blocks;
	struct taken taken;
	int64_t *room;
	double clock;
	size_t i;

	if (!read_amount(&amount, 0, argc, argv))
		return 2;
	times = amount.times < BLOCK ? amount.times : BLOCK;
	blocks = amount.times / times * amount.rounds;
	room = calloc((count + 1) * 3 * blocks, sizeof(*room));
	if (!room)
		return 1;
	run_in_turns(pairs, count, times, room, blocks);
	clock = median(taken_of(room, count, blocks).run, blocks);
	for (i = 0; i < count; i++) {
		taken = taken_of(room, i, blocks);
		report_pair(pairs[i].name, &taken, blocks, clock, times);
	}
	free(room);
	return 0;
}
