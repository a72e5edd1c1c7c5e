/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Whose code a function is. */

#include <stdlib.h>

#include <criterion/criterion.h>

#include "reach/reach.h"

Test(provider, is_the_library_that_a_function_lies_in)
{
	cr_expect(vx_function_is_of((uintptr_t)qsort, "libc.so"));
	cr_expect_not(vx_function_is_of((uintptr_t)qsort, "libmlx5"));
}

Test(provider, of_the_whole_name_from_its_begin_on)
{
	cr_expect_not(vx_function_is_of((uintptr_t)qsort, "ibc.so"));
	cr_expect_not(vx_function_is_of((uintptr_t)qsort, "libc.so.666"));
}

Test(provider, of_no_function_is_none)
{
	cr_expect_not(vx_function_is_of(0, ""));
}

Test(provider, of_what_lies_in_no_library_is_none)
{
	void *memory = malloc(1 << 24);

	cr_expect_not(vx_function_is_of((uintptr_t)memory, ""));
	free(memory);
}
