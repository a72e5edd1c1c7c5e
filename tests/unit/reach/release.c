/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <criterion/criterion.h>

#include <verbsx/config.h>
#include <verbsx/version.h>

#include "reach/reach.h"

Test(release, is_the_third_number_of_a_library)
{
	cr_expect_eq(vx_file_release("/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0"), 44u);
	cr_expect_eq(vx_file_release("libmlx5.so.1.25.56.1"), 56u);
}

Test(release, is_unknown_without_that_number)
{
	cr_expect_eq(vx_file_release("/opt/lib.so.1.2.3.4/libibverbs.so.1"), 0u);
	cr_expect_eq(vx_file_release("libibverbs.so"), 0u);
	cr_expect_eq(vx_file_release("libibverbs.so.1.14"), 0u);
	cr_expect_eq(vx_file_release(""), 0u);
}

Test(release, is_the_third_number_whatever_the_folder_is_called)
{
	cr_expect_eq(vx_file_release("/a.so.1.2.3.4/libmlx5.so.1.25.56.1"), 56u);
	cr_expect_eq(vx_file_release("libmlx5.so.1.25.56"), 0u, "the fourth number is always there");
	cr_expect_eq(vx_file_release("libmlx5.1.25.56.1"), 0u);
}

Test(version, tells_what_the_build_was_told)
{
	cr_expect_str_eq(vx_version(), VERBSX_VERSION);
	cr_expect_eq(vx_release_built(), (unsigned int)VX_RDMA_CORE);
	cr_expect_eq(vx_link_mode(), VERBSX_LOADER ? VX_LINK_LOADER : VX_LINK_DIRECT);
}

Test(release, of_a_library_that_is_not_used_is_not_known)
{
	cr_expect_eq(vx_release_of("libc.so.6"), 0u);
	cr_expect_eq(vx_release_of("libnone.so.1"), 0u);
	cr_expect_eq(vx_release_of("libibverbs.so.1"), vx_release_running());
}
