/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/error.h>

#include "fake.h"
#include "reach/loader.h"

static int calls_of_replacement;

static int count_calls(void)
{
	return ++calls_of_replacement;
}

Test(loader_replace, needs_no_library)
{
	use_libibverbs(NO_LIBRARY);
	cr_assert_eq(vx_loader_replace("ibv_fork_init", (vx_function)count_calls), 0);
	cr_expect_eq(ibv_fork_init(), 1);
	cr_expect_eq(ibv_fork_init(), 2);
}

Test(loader_replace, takes_the_place_of_a_function_that_was_found_before)
{
	use_libibverbs(FAKE_44);
	cr_assert_eq(ibv_fork_init(), FAKE_ANSWER);
	cr_assert_eq(vx_loader_replace("ibv_fork_init", (vx_function)count_calls), 0);
	cr_expect_eq(ibv_fork_init(), 1);
}

Test(loader_replace, by_null_brings_back_the_true_function)
{
	use_libibverbs(FAKE_44);
	vx_loader_replace("ibv_fork_init", (vx_function)count_calls);
	cr_assert_eq(vx_loader_replace("ibv_fork_init", NULL), 0);
	cr_expect_eq(ibv_fork_init(), FAKE_ANSWER);
}

Test(loader_replace, refuses_a_name_that_nothing_exports)
{
	cr_expect_eq(vx_loader_replace("ibv_fork_innit", NULL), -ENOENT);
	cr_expect_eq(vx_loader_replace("ibv_poll_cq", NULL), -ENOENT, "an inline function has no slot");
	cr_expect_eq(vx_loader_replace("ibv_wr_opcode_str", NULL), -ENOENT, "nor has a private one");
	cr_expect_str_eq(vx_error()->reason, "ibv_wr_opcode_str is not a function of rdma-core");
}
