/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The loader as it is built where symbols have no versions, as with musl. */

#include <errno.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include "error/fail.h"
#include "fake.h"
#include "know/tables.h"
#include "reach/loader.h"

Test(unversioned, functions_are_found_by_their_name_alone)
{
	use_libibverbs(FAKE_STRANGE);
	cr_expect_eq(ibv_rate_to_mult((enum ibv_rate)1), 2, "%s", vx_error_text());
}

Test(unversioned, functions_are_the_newest_of_several)
{
	use_libibverbs(FAKE_44);
	cr_expect_eq(ibv_fork_init(), FAKE_ANSWER + 1);
}

Test(unversioned, functions_that_are_missing_still_are)
{
	use_libibverbs(FAKE_44);
	cr_expect_null(vx_loader_resolve(vx_call_index("ibv_query_port_speed")));
	cr_expect_eq(errno, EOPNOTSUPP);
	cr_expect_str_eq(vx_error()->reason, "needs rdma-core 62, this is 44");
}
