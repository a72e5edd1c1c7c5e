/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* libibumad as it is reached: with the functions that its header declares, and with a word where it is not there. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <infiniband/umad.h>

#include <verbsx/error.h>

#include "reach/umad.h"

#define SAME_TYPE(result, name, parameters) \
	_Static_assert(__builtin_types_compatible_p(__typeof__(umad_##name), result parameters), "umad_" #name " is declared otherwise");
VX_UMAD_CALLS(SAME_TYPE)

Test(umad, is_there)
{
	const struct vx_umad *umad, *again;

	cr_assert_eq(vx_umad_reach(&umad, "vx_path_resolve"), 0, "%s", vx_error_text());
	cr_expect_leq(umad->size_(), sizeof(struct ib_user_mad));
	cr_assert_eq(vx_umad_reach(&again, "vx_path_resolve"), 0);
	cr_expect_eq(again, umad);
}

Test(umad, is_in_a_package_where_it_is_missing)
{
	const struct vx_umad *umad;

	cr_assert_eq(setenv("VERBSX_IBUMAD_LIB", "/no/libibumad.so.3", 1), 0);
	cr_expect_eq(vx_umad_reach(&umad, "vx_path_resolve"), -ENOSYS);
	cr_expect_not_null(strstr(vx_error_text(), "(named by VERBSX_IBUMAD_LIB)"), "%s", vx_error_text());
	cr_assert_eq(unsetenv("VERBSX_IBUMAD_LIB"), 0);
	cr_expect_eq(vx_umad_reach(&umad, "vx_path_resolve"), 0, "it is tried anew");
}

Test(umad, another_library_in_its_place_lacks_its_functions)
{
	const struct vx_umad *umad;

	cr_assert_eq(setenv("VERBSX_IBUMAD_LIB", "libc.so.6", 1), 0);
	cr_expect_eq(vx_umad_reach(&umad, "vx_path_resolve"), -EOPNOTSUPP);
	cr_expect_not_null(strstr(vx_error_text(), "lacks the symbol umad_open_port"), "%s", vx_error_text());
}

Test(umad, a_port_without_a_node_says_what_to_do)
{
	cr_expect_eq(vx_umad_open_fail(-EINVAL, "acme_0", 1), -ENODEV);
	cr_expect_not_null(strstr(vx_error_text(), "no node for MADs of port 1: ib_umad is not loaded (modprobe ib_umad)"), "%s", vx_error_text());
}
