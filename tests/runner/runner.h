/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_RUNNER_H
#define VERBSX_TESTS_RUNNER_H

/*
 * Runs tests that are written with Criterion's headers, in place of its library: each in a process that is forked, where that
 * one starts the program anew, with two dozen libraries. In an emulated machine or under valgrind that takes seconds a test.
 */

#include <stdbool.h>

#include <criterion/criterion.h>

struct test {
	const struct criterion_test *it;
	const struct criterion_suite *suite; /* NULL where nothing is said of it */
};

/* What a test says by a pipe, a byte each. That is no shared memory, as programs put functions of their own in mmap()'s place. */
enum word {
	FAILED = 'f',
	SKIPPED = 's',
	FINISHED = 'e'
};

/* In the process that was forked for it: run a test, and end. */
_Noreturn void run_test(const struct test *test, int pipe);

#endif
