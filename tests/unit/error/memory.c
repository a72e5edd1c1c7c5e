/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where there is no memory for the record of a thread; malloc() is that of this file (ld --wrap). */

#include <criterion/criterion.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "error/fail.h"

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static _Atomic(bool) none_left;

void *__wrap_malloc(size_t size)
{
	if (none_left)
		errno = ENOMEM;
	return none_left ? NULL : __real_malloc(size);
}

static int fail_without_memory(int code)
{
	int rc;

	none_left = true;
	rc = vx_fail(code, "ibv_query_port", "rxe0", "reason");
	none_left = false;
	return rc;
}

Test(memory, that_lacks_for_the_record_changes_no_code_and_no_errno)
{
	errno = EAGAIN;
	cr_expect_eq(fail_without_memory(-EPERM), -EPERM);
	cr_expect_eq(errno, EAGAIN);
}

Test(memory, that_lacks_for_the_record_is_told_with_the_code)
{
	fail_without_memory(-ECONNREFUSED);
	cr_expect_eq(vx_error()->code, -ECONNREFUSED);
	fail_without_memory(-EPERM);
	cr_expect_eq(vx_error()->code, -EPERM);
	cr_expect_str_eq(vx_error()->object, "");
	cr_expect_str_eq(vx_error_text(), "no memory to keep what failed");
}

Test(memory, that_lacks_for_what_is_no_code_is_told_all_the_same)
{
	const int codes[] = { -5000, 0, 1, INT_MIN };
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		fail_without_memory(codes[i]);
		cr_expect_eq(vx_error()->code, -ENOMEM, "%d", codes[i]);
	}
}

Test(memory, that_is_there_again_is_used)
{
	fail_without_memory(-EPERM);
	vx_fail(-EIO, "ibv_query_port", NULL, NULL);
	cr_expect_str_eq(vx_error_text(), "ibv_query_port: Input/output error");
}

Test(memory, that_lacked_is_forgotten)
{
	fail_without_memory(-EPERM);
	vx_error_clear();
	cr_expect_eq(vx_error()->code, 0);
	cr_expect_str_eq(vx_error_text(), "no error");
}

Test(memory, that_lacks_while_failures_are_tried_leaves_the_rest_in_order)
{
	none_left = true;
	vx_error_try();
	none_left = false;
	vx_fail(-EIO, "inner", NULL, NULL);
	vx_error_tried(-EIO);
	cr_expect_str_eq(vx_error_text(), "inner: Input/output error");
}

/* As cleaning up after it does, whose failures are told to nobody. */
Test(memory, that_lacks_while_something_is_tried_leaves_the_code_of_what_failed_before)
{
	fail_without_memory(-ECONNREFUSED);
	none_left = true;
	vx_error_try();
	vx_error_tried(0);
	none_left = false;
	cr_expect_eq(vx_error()->code, -ECONNREFUSED, "%d", vx_error()->code);
	vx_error_try();
	vx_error_tried(0);
	cr_expect_eq(vx_error()->code, -ECONNREFUSED, "with memory again: %d", vx_error()->code);
}

Test(memory, is_not_needed_to_ask)
{
	none_left = true;
	cr_expect_eq(vx_error()->code, 0);
	vx_error_clear();
	cr_expect_str_eq(vx_error_text(), "no error");
	none_left = false;
}
