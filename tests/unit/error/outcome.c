/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <criterion/criterion.h>

#include "error/fail.h"

Test(outcome, of_a_returned_errno_is_that_errno_negated)
{
	errno = EXDEV;
	cr_expect_eq(vx_code_returned(0), 0);
	cr_expect_eq(vx_code_returned(EINVAL), -EINVAL);
}

Test(outcome, of_an_errno_that_a_provider_negated_is_the_same)
{
	cr_expect_eq(vx_code_returned(-EINVAL), -EINVAL);
}

Test(outcome, of_minus_one_is_in_errno)
{
	errno = ENOMEM;
	cr_expect_eq(vx_code_returned(-1), -ENOMEM);
	cr_expect_eq(vx_code_in_errno(), -ENOMEM);
}

Test(outcome, of_a_refusal_without_a_code_is_einval)
{
	errno = 0;
	cr_expect_eq(vx_code_of_refusal(), -EINVAL);
	errno = ENOMEM;
	cr_expect_eq(vx_code_of_refusal(), -ENOMEM);
}

Test(outcome, that_nobody_explains_is_eio)
{
	errno = 0;
	cr_expect_eq(vx_code_returned(-1), -EIO);
	cr_expect_eq(vx_code_in_errno(), -EIO);
	errno = -2;
	cr_expect_eq(vx_code_in_errno(), -EIO, "librdmacm may leave a negative errno");
}
