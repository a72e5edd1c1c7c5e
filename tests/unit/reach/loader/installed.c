/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The table of functions, held against the libraries of this machine. */

#include <errno.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "know/tables.h"
#include "reach/loader.h"
#include "reach/reach.h"

static void own_libraries(void)
{
	unsetenv("VERBSX_IBVERBS_LIB");
	unsetenv("VERBSX_RDMACM_LIB");
	unsetenv("VERBSX_MLX5_LIB");
	if (!vx_loader_open("libibverbs.so.1"))
		cr_skip_test("there is no rdma-core here");
}

TestSuite(loader_installed, .init = own_libraries);

Test(loader_installed, has_each_function_that_its_release_is_to_have)
{
	struct vx_call_info call;
	size_t i, found = 0;

	for (i = 0; vx_call_at(i, &call); i++) {
		void *handle = vx_loader_open(call.library);

		if (!handle || vx_library_release(handle) < call.since)
			continue;
		cr_expect(vx_loader_resolve(i), "%s@%s", call.name, call.version);
		found++;
	}
	cr_expect_gt(found, 100u);
}

Test(loader_installed, lacks_each_function_of_a_newer_release)
{
	struct vx_call_info call;
	size_t i;

	for (i = 0; vx_call_at(i, &call); i++) {
		void *handle = vx_loader_open(call.library);

		if (!handle || vx_library_release(handle) >= call.since)
			continue;
		cr_expect_null(vx_loader_resolve(i), "%s@%s", call.name, call.version);
		cr_expect_eq(errno, EOPNOTSUPP);
	}
}
