/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Programs run in a child, so that whatever ends one does not end the search for its cause. */
#include "random.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	TRIES = 3, /* whether it fails at all */
	MAX_SECONDS = 60
};

bool run_in_child(const struct batch *b, bool quiet)
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (quiet)
			dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		run_programs(b);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	if (WIFSIGNALED(status) && !quiet)
		fprintf(stderr, "%s\n", strsignal(WTERMSIG(status)));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* FIRST[-[LAST]],... */
bool parse_steps(const char *list, bool steps[MAX_STEPS])
{
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (!isdigit((unsigned char)*list))
			return false;
		if (*end == '-')
			last = isdigit((unsigned char)end[1]) ? strtoul(end + 1, &end, 10) :
								(end++, MAX_STEPS - 1);
		if (last >= MAX_STEPS || (*end && *end != ','))
			return false;
		for (; first <= last; first++)
			steps[first] = true;
		list = *end ? end + 1 : end;
	}
	return true;
}

static void print_steps(const struct batch *b)
{
	const char *separator = "";

	fprintf(stderr, "verbsx-emu-random %lu 1 ", b->first);
	for (int i = 1; i < MAX_STEPS; i++) {
		int last = i;

		if (!b->steps[i])
			continue;
		while (last + 1 < MAX_STEPS && b->steps[last + 1])
			last++;
		fprintf(stderr, last > i ? "%s%d-%d" : "%s%d", separator, i, last);
		separator = ",";
		i = last;
	}
	fputc('\n', stderr);
}

static bool fails(const struct batch *b)
{
	for (int i = 0; i < TRIES; i++)
		if (!run_in_child(b, true))
			return true;
	return false;
}

/* Take so many steps away from there on, if it still fails without them */
static void try_without(struct batch *b, int from, int count)
{
	struct batch less = *b;

	if (from + count > MAX_STEPS)
		count = MAX_STEPS - from;
	memset(less.steps + from, 0, count * sizeof(less.steps[0]));
	if (memcmp(&less, b, sizeof(less)) && !run_in_child(&less, true))
		*b = less;
}

void shrink(unsigned long seed)
{
	struct batch b = { .first = seed, .count = 1 };
	time_t end = time(NULL) + MAX_SECONDS;

	memset(b.steps, true, sizeof(b.steps));
	fprintf(stderr, "seed %lu failed; to run only this one: verbsx-emu-random %lu\n", seed, seed);
	if (!fails(&b)) {
		fprintf(stderr, "alone it does not fail each time: what happened depends on time, or on those before\n");
		return;
	}
	for (int count = MAX_STEPS / 2; count; count /= 2)
		for (int from = 0; from < MAX_STEPS && time(NULL) < end; from += count)
			try_without(&b, from, count);
	fprintf(stderr, "these of its steps are enough:\n");
	print_steps(&b);
}
