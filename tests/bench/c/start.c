/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* usage: start ROUNDS PROGRAM...: what each program takes from its start to its end, in processor time. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "measure.h"

static uint64_t nanoseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

/* 0 where the program cannot be run or fails. */
static uint64_t run(char *program)
{
	char *argv[] = { program, NULL };
	struct rusage usage;
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, NULL) || wait4(pid, &status, 0, &usage) != pid ||
	    status)
		return 0;
	return nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The programs take turns, so that what else the machine does strikes all alike. */
static int measure_programs(uint64_t *spent, int rounds, int programs, char **names)
{
	int round, i;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < programs; i++) {
			spent[i * rounds + round] = run(names[i]);
			if (!spent[i * rounds + round]) {
				fprintf(stderr, "start: cannot run %s\n", names[i]);
				return 1;
			}
		}
	for (i = 0; i < programs; i++) {
		qsort(&spent[i * rounds], (size_t)rounds, sizeof(*spent), compare);
		report(names[i], (double)spent[i * rounds + rounds / 2]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0, rc;
	uint64_t *spent;

	if (rounds <= 0) {
		fprintf(stderr, "usage: %s ROUNDS PROGRAM...\n", argv[0]);
		return 2;
	}
	spent = calloc((size_t)rounds * (size_t)(argc - 2), sizeof(*spent));
	rc = spent ? measure_programs(spent, rounds, argc - 2, argv + 2) : 1;
	free(spent);
	return rc;
}
