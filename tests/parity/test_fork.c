/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include <criterion/criterion.h>

#include <infiniband/verbs.h>

Test(test_fork_ForkAPITest, test_is_fork_initialized)
{
	enum ibv_fork_status status;

	cr_assert_eq(ibv_fork_init(), 0);
	status = ibv_is_fork_initialized();
	cr_expect(status == IBV_FORK_ENABLED || status == IBV_FORK_UNNEEDED, "status is %d", (int)status);
}
