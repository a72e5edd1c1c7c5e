/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The tests of a program, some at a time, and what came of them, in the words of Criterion that scripts look for. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"

/* Where Criterion's macros leave them. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak)), *__stop_cr_sts[] __attribute__((weak));

static struct test *tests;
static size_t count;

static int passing, failing, crashing;
static bool verbose;

/* ---- which tests there are ---- */

static const struct criterion_suite *suite_of(const struct criterion_test *test)
{
	struct criterion_suite **suite;

	for (suite = __start_cr_sts; suite < __stop_cr_sts; suite++)
		if (*suite && !strcmp((*suite)->name, test->category))
			return *suite;
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct criterion_test *first = ((const struct test *)a)->it,
				    *second = ((const struct test *)b)->it;
	int order = strcmp(first->category, second->category);

	return order ? order : strcmp(first->name, second->name);
}

static bool matches(const struct criterion_test *test, const char *pattern)
{
	return !pattern || !fnmatch(pattern, test->data->identifier_, FNM_EXTMATCH);
}

static void find_tests(const char *pattern)
{
	size_t all = __stop_cr_tst - __start_cr_tst, i;

	tests = calloc(all, sizeof(*tests));
	if (!tests)
		abort();
	for (i = 0; i < all; i++)
		if (__start_cr_tst[i] && matches(__start_cr_tst[i], pattern))
			tests[count++] = (struct test){ __start_cr_tst[i], suite_of(__start_cr_tst[i]) };
	qsort(tests, count, sizeof(*tests), by_name);
}

static size_t end_of_suite(size_t first)
{
	size_t i = first;

	while (i < count && !strcmp(tests[i].it->category, tests[first].it->category))
		i++;
	return i;
}

static void list_tests(void)
{
	size_t i = 0, end;

	while (i < count) {
		end = end_of_suite(i);
		printf("%s: %zu tests\n", tests[i].it->category, end - i);
		for (; i < end; i++)
			printf("|-- %s\n", tests[i].it->name);
	}
}

/* ---- what came of one ---- */

static void passed(const struct test *test)
{
	if (verbose)
		fprintf(stderr, "[PASS] %s::%s\n", test->it->category, test->it->name);
	passing++;
}

static void failed(const struct test *test, const char *why)
{
	fprintf(stderr, "[FAIL] %s::%s: %s\n", test->it->category, test->it->name, why);
	failing++;
}

struct said {
	int failed, skipped, finished;
};

static struct said hear(int pipe)
{
	struct said said = { 0 };
	char words[256];
	ssize_t length, i;

	while ((length = read(pipe, words, sizeof(words))) > 0)
		for (i = 0; i < length; i++) {
			said.failed += words[i] == FAILED;
			said.skipped += words[i] == SKIPPED;
			said.finished += words[i] == FINISHED;
		}
	close(pipe);
	return said;
}

/* What a test said, how its process ended, and whether that had to be killed. */
static void judge(const struct test *test, struct said said, int status, bool late)
{
	const struct criterion_test_extra_data *data = test->it->data;
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	char why[64] = "";

	if (late)
		snprintf(why, sizeof(why), "timed out");
	else if (signal && signal != data->signal)
		snprintf(why, sizeof(why), "CRASH! %s", strsignal(signal));
	else if (signal != data->signal)
		snprintf(why, sizeof(why), "it was to end by signal %d", data->signal);
	else if (!signal && WEXITSTATUS(status) != data->exit_code)
		snprintf(why, sizeof(why), "exit status %d", WEXITSTATUS(status));
	else if (!signal && !data->exit_code && !said.finished)
		snprintf(why, sizeof(why), "it ended before its end");
	else if (said.failed)
		snprintf(why, sizeof(why), "assertions failed: %d", said.failed);

	crashing += !late && signal && signal != data->signal;
	if (*why)
		failed(test, why);
	else if (!said.skipped)
		passed(test);
}

/* ---- running them ---- */

struct job {
	const struct test *test;
	pid_t pid; /* 0: none */
	int said; /* what it says */
	double limit; /* when it has to be done; 0: never */
	bool late;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static double limit_of(const struct test *test)
{
	if (test->it->data->timeout > 0)
		return test->it->data->timeout;
	return test->suite && test->suite->data ? test->suite->data->timeout : 0;
}

static void start(struct job *job, const struct test *test)
{
	double limit = limit_of(test);
	sigset_t none;
	int ends[2];

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		perror("pipe2");
		exit(2);
	}
	*job = (struct job){ .test = test, .limit = limit ? now() + limit : 0, .said = ends[0] };
	job->pid = fork();
	if (job->pid < 0) {
		perror("fork");
		exit(2);
	}
	if (job->pid) {
		close(ends[1]);
		return;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	run_test(test, ends[1]);
}

static void end(struct job *job)
{
	int status;

	if (waitpid(job->pid, &status, job->late ? 0 : WNOHANG) <= 0)
		return;
	judge(job->test, hear(job->said), status, job->late);
	job->pid = 0;
}

static void look_at(struct job *job)
{
	if (job->limit && now() > job->limit) {
		job->late = true;
		kill(job->pid, SIGKILL);
	}
	end(job);
}

/* A child that ends wakes it up, and it looks at their times now and then. */
static void run_tests(int at_once)
{
	const struct timespec a_while = { .tv_nsec = 100000000 };
	struct job *jobs = calloc(at_once, sizeof(*jobs));
	sigset_t ended;
	size_t next = 0;
	int running, i;

	if (!jobs)
		abort();
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	for (;;) {
		for (running = i = 0; i < at_once; i++) {
			if (jobs[i].pid)
				look_at(&jobs[i]);
			if (!jobs[i].pid && next < count)
				start(&jobs[i], &tests[next++]);
			running += jobs[i].pid != 0;
		}
		if (!running)
			break;
		sigtimedwait(&ended, NULL, &a_while);
	}
	free(jobs);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "filter", required_argument, NULL, 'f' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "list", no_argument, NULL, 'l' },
		{ "verbose", optional_argument, NULL, 'v' },
		{ 0 },
	};
	int option, at_once = sysconf(_SC_NPROCESSORS_ONLN);
	const char *pattern = NULL;
	bool list = false;

	while ((option = getopt_long(argc, argv, "f:j:", options, NULL)) != -1) {
		if (option == 'f')
			pattern = optarg;
		else if (option == 'j' && atoi(optarg) > 0)
			at_once = atoi(optarg);
		else if (option == 'l')
			list = true;
		else if (option == 'v')
			verbose = true;
		else
			return 2;
	}
	find_tests(pattern);
	if (list)
		return list_tests(), 0;
	if (pattern && !count) {
		fprintf(stderr, "no test is called %s\n", pattern);
		return 2;
	}
	criterion_options.logging_threshold = verbose;
	run_tests(at_once);
	fprintf(stderr, "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | Crashing: %d \n",
		passing + failing, passing, failing, crashing);
	return failing > 0;
}
