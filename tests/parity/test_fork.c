/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

Test(test_fork_ForkAPITest, test_is_fork_initialized)
{
#if VX_RDMA_CORE >= 35
	enum ibv_fork_status status;

	cr_assert_eq(ibv_fork_init(), 0);
	status = ibv_is_fork_initialized();
	cr_expect(status == IBV_FORK_ENABLED || status == IBV_FORK_UNNEEDED, "status is %d", (int)status);
#else
	cr_skip_test("the headers are older than rdma-core 35");
#endif
}
