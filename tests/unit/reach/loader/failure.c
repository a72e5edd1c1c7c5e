/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Without a library, each function fails as its own contract says. None of the arguments is looked at. */

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include <criterion/criterion.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <verbsx/error.h>

#include "fake.h"

static void no_libraries(void)
{
	use_libibverbs(NO_LIBRARY);
	setenv("VERBSX_RDMACM_LIB", "/nonexistent/librdmacm.so.1", 1);
	setenv("VERBSX_MLX5_LIB", "/nonexistent/libmlx5.so.1", 1);
	errno = 0;
}

static void expect_failed(const char *call)
{
	cr_expect_eq(vx_error()->code, -ENOSYS);
	cr_expect_str_eq(vx_error()->call, call);
	cr_expect_eq(errno, ENOSYS);
}

TestSuite(loader_failure, .init = no_libraries);

Test(loader_failure, is_null_and_errno_of_a_function_that_gives_a_pointer)
{
	cr_expect_null(ibv_alloc_pd(NULL));
	expect_failed("ibv_alloc_pd");
}

/* Which may be there the next time. */
Test(loader_failure, is_that_of_descriptors_where_none_is_left)
{
	struct rlimit before;

	use_libibverbs(FAKE_44);
	getrlimit(RLIMIT_NOFILE, &before);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, before.rlim_max });
	cr_expect_null(ibv_alloc_pd(NULL));
	setrlimit(RLIMIT_NOFILE, &before);
	cr_expect_eq(errno, EMFILE);
	cr_expect_eq(vx_error()->code, -EMFILE);
	cr_expect_not_null(strstr(vx_error()->reason, "Too many open files"), "%s", vx_error()->reason);
}

Test(loader_failure, is_a_positive_errno_of_one_that_returns_it)
{
	cr_expect_eq(ibv_query_device(NULL, NULL), ENOSYS);
	expect_failed("ibv_query_device");
}

Test(loader_failure, is_minus_one_and_errno_in_librdmacm)
{
	cr_expect_eq(rdma_connect(NULL, NULL), -1);
	expect_failed("rdma_connect");
}

Test(loader_failure, is_minus_one_and_errno_of_one_that_lore_knows)
{
	cr_expect_eq(ibv_query_pkey(NULL, 1, 0, NULL), -1);
	expect_failed("ibv_query_pkey");
}

Test(loader_failure, is_a_negative_errno_through_an_inline_function)
{
	cr_expect_eq(ibv_query_gid_table(NULL, NULL, 0, 0), -ENOSYS);
	expect_failed("_ibv_query_gid_table");
}

Test(loader_failure, of_a_function_that_returns_nothing_is_only_recorded)
{
	ibv_free_device_list(NULL);
	expect_failed("ibv_free_device_list");
}

Test(loader_failure, of_a_function_that_gives_a_text_is_a_text)
{
	cr_expect_str_eq(ibv_wc_status_str(IBV_WC_SUCCESS), "unknown");
	expect_failed("ibv_wc_status_str");
}

Test(loader_failure, of_a_question_is_no)
{
	cr_expect_not(mlx5dv_is_supported(NULL));
	expect_failed("mlx5dv_is_supported");
}
