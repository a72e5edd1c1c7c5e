/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A test of each kind of end, and what check.py expects of it in its name: the runner must see what went wrong. */

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <criterion/criterion.h>

static int made;

static void make(void)
{
	made++;
}

static void unmake(void)
{
	cr_expect_eq(made, 1, "made %d times", made);
}

static void make_twice(void)
{
	made += 2;
}

TestSuite(passes, .init = make, .fini = unmake);
TestSuite(fails_at_the_end, .init = make_twice, .fini = unmake);
static void skip(void)
{
	cr_skip_test("not here");
}

static void give_up(void)
{
	cr_assert_fail("nothing to test");
}

TestSuite(skips_at_the_beginning, .init = skip, .fini = abort);
TestSuite(fails_at_the_beginning, .init = give_up, .fini = abort);
TestSuite(times_out, .timeout = 0.3);

Test(passes, with_what_the_suite_makes)
{
	cr_expect_eq(made, 1);
}

Test(passes, by_the_signal_that_was_said, .signal = SIGTERM)
{
	raise(SIGTERM);
}

Test(passes, by_the_exit_status_that_was_said, .exit_code = 3)
{
	exit(3);
}

TestSuite(skips, .fini = abort);

Test(skips, for_a_reason)
{
	cr_skip_test("no %s", "device");
	abort();
}

Test(fails, where_an_expectation_does_and_goes_on)
{
	cr_expect_str_eq("this", "that");
	cr_expect(0, "and %d", 2);
}

Test(fails, where_an_assertion_does_and_stops)
{
	cr_assert_null("this");
	abort();
}

Test(fails_at_the_end, where_only_the_suite_notices)
{
}

Test(skips_at_the_beginning, as_a_whole)
{
	abort();
}

Test(fails_at_the_beginning, where_nothing_can_be_made)
{
	abort();
}

Test(fails, without_the_signal_that_was_said, .signal = SIGTERM)
{
}

Test(fails, by_an_exit_status)
{
	exit(3);
}

Test(fails, that_leaves_before_its_end)
{
	exit(0);
}

Test(crashes, by_a_signal)
{
	raise(SIGSEGV);
}

Test(times_out, asleep)
{
	pause();
}
