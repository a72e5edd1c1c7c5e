/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/error.h>

#include "error/fail.h"
#include "fake.h"
#include "know/tables.h"
#include "reach/loader.h"

#define NEWEST "ibv_create_comp_cntr"

static vx_function resolve(const char *call)
{
	return vx_loader_resolve(vx_call_index(call));
}

Test(loader_symbol, is_taken_at_the_version_of_the_headers_not_at_the_newest)
{
	use_libibverbs(FAKE_44);
	cr_expect_eq(ibv_fork_init(), FAKE_ANSWER);
}

Test(loader_symbol, leaves_errno_alone_when_it_is_found)
{
	use_libibverbs(FAKE_44);
	errno = EXDEV;
	ibv_fork_init();
	cr_expect_eq(errno, EXDEV);
}

Test(loader_symbol, that_is_too_new_is_missing_with_the_release_that_has_it)
{
	use_libibverbs(FAKE_44);
	cr_expect_null(resolve("ibv_query_port_speed"));
	cr_expect_eq(errno, EOPNOTSUPP);
	cr_expect_eq(vx_error()->code, -EOPNOTSUPP);
	cr_expect_str_eq(vx_error_text(),
			 "ibv_query_port_speed: Operation not supported: needs rdma-core 62, this is 44");
}

Test(loader_symbol, of_another_version_is_missing)
{
	use_libibverbs(FAKE_STRANGE);
	cr_expect_eq(ibv_fork_init(), EOPNOTSUPP);
	cr_expect_str_eq(vx_error()->reason,
			 "libibverbs.so.1 of rdma-core 65 lacks the symbol ibv_fork_init@IBVERBS_1.1");
}

Test(loader_symbol, that_its_release_should_have_is_not_said_to_need_a_newer_one)
{
	use_libibverbs(FAKE_STRANGE);
	cr_assert_eq(vx_calls[vx_call_index("ibv_query_port_speed")].since, 62);
	cr_expect_null(resolve("ibv_query_port_speed"));
	cr_expect_str_eq(vx_error()->reason, "libibverbs.so.1 of rdma-core 65 lacks the symbol ibv_query_port_speed@IBVERBS_1.16");
	cr_assert_eq(vx_calls[vx_call_index(NEWEST)].since, 65);
	cr_expect_null(resolve(NEWEST));
	cr_expect_not_null(strstr(vx_error()->reason, "of rdma-core 65 lacks the symbol"), "%s", vx_error()->reason);
}

Test(loader_symbol, that_is_missing_from_a_library_of_unknown_release_is_named)
{
	use_libibverbs(FAKE_NAMELESS);
	cr_expect_null(resolve("ibv_query_port_speed"));
	cr_expect_str_eq(vx_error()->reason, "needs rdma-core 62, but this libibverbs.so.1 lacks the symbol "
					     "ibv_query_port_speed@IBVERBS_1.16");
}

Test(loader_symbol, is_found_missing_for_an_inline_function_that_stands_on_it)
{
	use_libibverbs(FAKE_44);
	cr_expect_eq(vx_loader_check("ibv_query_gid_ex"), -EOPNOTSUPP);
	cr_expect_str_eq(vx_error()->call, "_ibv_query_gid_ex");
}

Test(loader_symbol, is_not_looked_for_when_nothing_exported_is_behind_a_name)
{
	use_libibverbs(NO_LIBRARY);
	cr_expect_eq(vx_loader_check("ibv_poll_cq"), 0);
	cr_expect_eq(vx_loader_check("no_such_call"), 0);
	cr_expect_eq(vx_loader_check("a_name_that_is_longer_than_any_call_of_any_library_that_there_is_and_will_be"), 0);
}

Test(loader_symbol, that_is_missing_is_reported_of_the_object_and_the_call_that_needed_it)
{
	use_libibverbs(FAKE_STRANGE);
	cr_expect_null(resolve("_ibv_query_gid_ex"));
	cr_expect_eq(vx_call_fail(-EIO, "ibv_query_gid_ex", "mlx5_0", "not this"), -EOPNOTSUPP);
	cr_expect_str_eq(vx_error_text(),
			 "ibv_query_gid_ex on mlx5_0: Operation not supported: libibverbs.so.1 of "
			 "rdma-core 65 lacks the symbol _ibv_query_gid_ex@IBVERBS_1.11");
}

Test(loader_symbol, that_is_found_leaves_the_failure_as_it_is)
{
	use_libibverbs(FAKE_44);
	cr_expect_null(resolve("ibv_query_port_speed"), "from here on calls are looked for");
	cr_expect_eq(vx_call_fail(-EIO, "ibv_fork_init", "mlx5_0", "%s of %d", "part", 2), -EIO);
	cr_expect_str_eq(vx_error_text(), "ibv_fork_init on mlx5_0: Input/output error: part of 2");
}
