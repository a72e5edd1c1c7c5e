/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* One test in its process: what the macros of Criterion's headers call. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <criterion/redirect.h>

#include "runner.h"

struct criterion_options criterion_options; /* of it, the macros ask whether to report what passed, too */

static const struct test *current;
static int to_runner;
static jmp_buf end_of_test, end_of_body;
static jmp_buf *end; /* where a test goes on that is given up; what its body made is undone */
static FILE *redirected;

static void say(char word)
{
	if (write(to_runner, &word, 1) != 1)
		dprintf(STDERR_FILENO, "[----] too much to say: %c\n", word);
}

_Noreturn static void end_test(void)
{
	say(FINISHED);
	exit(0);
}

void run_test(const struct test *test, int pipe)
{
	current = test;
	to_runner = pipe;
	end = &end_of_test;
	if (!setjmp(end_of_test))
		test->it->test();
	end_test();
}

static void call(void (*fixture)(void))
{
	if (fixture)
		fixture();
}

void criterion_internal_test_setup(void)
{
	if (current->suite && current->suite->data)
		call(current->suite->data->init);
	call(current->it->data->init);
}

void criterion_internal_test_main(void (*function)(void))
{
	end = &end_of_body;
	if (!setjmp(end_of_body))
		function();
	end = &end_of_test;
}

void criterion_internal_test_teardown(void)
{
	call(current->it->data->fini);
	if (current->suite && current->suite->data)
		call(current->suite->data->fini);
}

void criterion_abort_test(void)
{
	longjmp(*end, 1);
}

void criterion_continue_test(void)
{
}

/* Nothing is undone: who skips has not begun, or has ended it. */
void criterion_skip_test(const char *format, ...)
{
	char reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (criterion_options.logging_threshold)
		dprintf(STDERR_FILENO, "[SKIP] %s::%s: %s\n", current->it->category, current->it->name,
			reason);
	say(SKIPPED);
	end_test();
}

/* ---- assertions ---- */

void criterion_send_assert(struct criterion_assert_stats *stats)
{
	if (stats->passed)
		return;
	say(FAILED);
	dprintf(STDERR_FILENO, "[----] %s:%u: Assertion Failed\n[----]   %s::%s: %s\n", stats->file,
		stats->line, current->it->category, current->it->name, stats->message);
}

void cri_asserts_passed_incr(void)
{
}

int cr_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(text, format, args);
	va_end(args);
	return length;
}

void cr_asprintf_free(char *text)
{
	free(text);
}

char *cr_translate_assert_msg(int message, ...)
{
	static const char *const formats[] = {
		[CRITERION_ASSERT_MSG_FAIL] = "The conditions for this assertion were not met.",
		[CRITERION_ASSERT_MSG_EXPR_FALSE] = "The expression %s is false.",
		[CRITERION_ASSERT_MSG_EXPR_AS_STRINGS_FALSE] = "The expression %s is false: \"%s\", \"%s\".",
		[CRITERION_ASSERT_MSG_IS_NULL] = "%s is null.",
		[CRITERION_ASSERT_MSG_IS_NOT_NULL] = "%s is not null.",
		[CRITERION_ASSERT_MSG_IS_EMPTY] = "%s is empty.",
		[CRITERION_ASSERT_MSG_IS_NOT_EMPTY] = "%s is not empty: \"%s\".",
	};
	char *text = NULL;
	va_list args;

	va_start(args, message);
	if (vasprintf(&text, formats[message], args) < 0)
		abort();
	va_end(args);
	return text;
}

/* ---- what a test prints ---- */

void cr_redirect_stderr(void)
{
	redirected = tmpfile();
	if (!redirected || dup2(fileno(redirected), STDERR_FILENO) < 0)
		abort();
}

FILE *cr_get_redirected_stderr(void)
{
	fflush(stderr);
	rewind(redirected);
	return redirected;
}
