/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "error/fail.h"

Test(error, nothing_has_failed_at_first)
{
	cr_expect_eq(vx_error()->code, 0);
	cr_expect_str_eq(vx_error()->call, "");
	cr_expect_str_eq(vx_error()->object, "");
	cr_expect_str_eq(vx_error()->reason, "");
	cr_expect_str_eq(vx_error_text(), "no error");
}

Test(error, a_failure_is_told_in_one_line)
{
	cr_expect_eq(vx_fail(-EINVAL, "ibv_create_qp", "rxe0", "max_send_wr = %d", 100000), -EINVAL);
	cr_expect_str_eq(vx_error_text(), "ibv_create_qp on rxe0: Invalid argument: max_send_wr = 100000");
}

Test(error, parts_that_are_missing_leave_no_trace)
{
	vx_fail(-ENOMEM, "ibv_reg_mr", NULL, NULL);
	cr_expect_str_eq(vx_error_text(), "ibv_reg_mr: Cannot allocate memory");
	vx_fail(-ENOMEM, NULL, NULL, NULL);
	cr_expect_str_eq(vx_error_text(), "Cannot allocate memory");
	vx_fail(-ENOMEM, NULL, "rxe0", NULL);
	cr_expect_str_eq(vx_error_text(), "rxe0: Cannot allocate memory");
}

Test(error, the_object_is_copied)
{
	char object[] = "rxe0";

	vx_fail(-EIO, "ibv_query_port", object, NULL);
	object[0] = 'X';
	cr_expect_str_eq(vx_error()->object, "rxe0");
}

Test(error, the_record_may_feed_the_next_failure)
{
	vx_fail(-EIO, "inner", "rxe0 qp 17", "no answer");
	vx_fail(vx_error()->code, "outer", vx_error()->object, "%s failed: %s", vx_error()->call,
		vx_error()->reason);
	cr_expect_str_eq(vx_error_text(), "outer on rxe0 qp 17: Input/output error: inner failed: no answer");
}

Test(error, what_a_terminal_would_act_on_is_escaped)
{
	vx_fail(-EINVAL, "vx_ctx_open", "a\nb", "no device \"%s\"", "\x1b[31mred\r\x7f\xff\xc3\xa4");
	cr_expect_str_eq(vx_error()->object, "a\\x0ab");
	cr_expect_str_eq(vx_error()->reason, "no device \"\\x1b[31mred\\x0d\\x7f\\xff\xc3\xa4\"");
	vx_fail(-EIO, "outer", vx_error()->object, "%s", vx_error()->reason);
	cr_expect_str_eq(vx_error_text(), "outer on a\\x0ab: Input/output error: no device \"\\x1b[31mred\\x0d\\x7f\\xff\xc3\xa4\"");
}

Test(error, long_parts_are_cut_and_never_overrun)
{
	char text[2048];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	vx_fail(-EIO, "call", text, "%s", text);
	cr_expect_eq(strlen(vx_error()->object), 127);
	cr_expect_eq(strlen(vx_error()->reason), 511);
	cr_expect_gt(strlen(vx_error_text()), 600);
}

Test(error, a_code_without_a_message_is_still_told)
{
	vx_fail(-4000, "call", NULL, NULL);
	cr_expect_str_eq(vx_error_text(), "call: Unknown error 4000");
}

Test(error, clearing_forgets_the_failure)
{
	vx_fail(-EIO, "call", "object", "reason");
	vx_error_clear();
	cr_expect_eq(vx_error()->code, 0);
	cr_expect_str_eq(vx_error()->reason, "");
	cr_expect_str_eq(vx_error_text(), "no error");
}

Test(error, errno_is_left_alone)
{
	errno = EAGAIN;
	vx_fail(-EIO, "call", "object", "reason");
	vx_error_text();
	cr_expect_eq(errno, EAGAIN);
}

static void *fail_elsewhere(void *unused)
{
	(void)unused;
	vx_fail(-EPERM, "elsewhere", NULL, NULL);
	return vx_error_text()[0] == 'e' ? NULL : (void *)1;
}

Test(error, each_thread_has_its_own_record)
{
	pthread_t thread;
	void *wrong;

	vx_fail(-EIO, "here", NULL, NULL);
	cr_assert_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
	cr_assert_eq(pthread_join(thread, &wrong), 0);
	cr_expect_null(wrong);
	cr_expect_str_eq(vx_error()->call, "here");
}
