/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <dlfcn.h>
#include <errno.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/ctx.h>
#include <verbsx/error.h>
#include <verbsx/version.h>

#include "fake.h"
#include "know/tables.h"
#include "reach/loader.h"
#include "reach/reach.h"

Test(loader_library, is_the_one_that_the_environment_names)
{
	use_libibverbs(FAKE_44);
	cr_expect_eq(ibv_fork_init(), FAKE_ANSWER);
}

Test(loader_library, is_that_of_the_system_when_the_variable_is_empty)
{
	use_libibverbs("");
	cr_expect_str_eq(ibv_wc_status_str(IBV_WC_SUCCESS), "success");
}

Test(loader_library, tells_its_release_by_its_file)
{
	use_libibverbs(FAKE_44);
	cr_expect_eq(vx_release_running(), 44u);
}

Test(loader_library, tells_no_release_by_a_name_without_one)
{
	use_libibverbs(FAKE_NAMELESS);
	cr_expect_eq(vx_release_running(), 0u);
}

Test(loader_library, has_no_release_when_it_is_missing)
{
	use_libibverbs(NO_LIBRARY);
	vx_error_clear();
	cr_expect_eq(vx_release_running(), 0u);
	cr_expect_eq(vx_error()->code, 0, "asking for the release is no failure");
}

Test(loader_library, that_is_missing_is_named_with_the_variable_that_named_it)
{
	use_libibverbs(NO_LIBRARY);
	cr_expect_eq(ibv_fork_init(), ENOSYS);
	cr_expect_str_eq(
		vx_error_text(),
		"ibv_fork_init: Function not implemented: " NO_LIBRARY
		": cannot open shared object file: No such file or directory (named by VERBSX_IBVERBS_LIB)");
}

Test(loader_library, that_is_missing_is_named_with_its_package)
{
	if (dlopen("libhns.so.1", RTLD_LAZY))
		cr_skip_test("this machine has libhns.so.1");
	unsetenv("VERBSX_HNS_LIB");
	cr_expect_null(vx_loader_resolve(vx_call_index("hnsdv_is_supported")));
	cr_expect_eq(errno, ENOSYS);
	cr_expect_str_eq(
		vx_error()->reason,
		"libhns.so.1: cannot open shared object file: No such file or directory; it is in the "
		"package ibverbs-providers (Debian) or libibverbs (Fedora)");
}

Test(loader_library, that_was_missing_is_found_once_it_is_there)
{
	use_libibverbs(NO_LIBRARY);
	cr_expect_eq(ibv_fork_init(), ENOSYS);
	use_libibverbs(FAKE_44);
	cr_expect_eq(ibv_fork_init(), FAKE_ANSWER);
}

Test(loader_library, of_an_unknown_soname_is_not_opened)
{
	cr_expect_null(vx_loader_open("libc.so.6"));
	cr_expect_null(vx_loader_open(""), "the row of calls that are in none");
}

Test(loader_library, is_opened_by_its_soname_be_it_the_first_or_the_last)
{
	unsigned int i;

	cr_assert_gt(vx_library_count, 2);
	for (i = 1; i < vx_library_count; i++) {
		setenv(vx_call_names + vx_libraries[i].variable, FAKE_44, 1);
		cr_expect_not_null(vx_loader_open(vx_call_names + vx_libraries[i].soname), "%u", i);
	}
}

Test(loader_library, that_is_the_program_itself_has_no_release)
{
	cr_expect_eq(vx_library_release(dlopen(NULL, RTLD_LAZY)), 0u);
	cr_expect_eq(vx_library_release(dlopen("libc.so.6", RTLD_LAZY)), 0u);
}

Test(loader_library, that_is_missing_is_what_opening_a_device_reports)
{
	struct vx_ctx *ctx = NULL;

	use_libibverbs(NO_LIBRARY);
	cr_expect_eq(vx_ctx_open("mlx5_0", &ctx), -ENOSYS);
	cr_expect_str_eq(vx_error()->call, "ibv_get_device_list");
	cr_expect_str_eq(
		vx_error()->reason, NO_LIBRARY
		": cannot open shared object file: No such file or directory (named by VERBSX_IBVERBS_LIB)");
}
