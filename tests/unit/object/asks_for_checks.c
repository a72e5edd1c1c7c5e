/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A program that defines VERBSX_CHECKS for itself, whatever the library was built with. */

#undef VERBSX_CHECKS
#define VERBSX_CHECKS 1

#include <signal.h>

#include "unit/device.h"

TestSuite(asks_for_checks, .init = open_device);

Test(asks_for_checks, and_links, .fini = close_device)
{
	cr_expect_not_null(vx_pd_raw(pd));
}

Test(asks_for_checks, and_ends_with_a_handle_of_another_kind, .signal = SIGABRT)
{
	(void)vx_cq_raw((struct vx_cq *)pd);
}

Test(asks_for_checks, and_ends_with_a_closed_handle, .signal = SIGABRT)
{
	vx_close(pd);
	(void)vx_pd_raw(pd);
}
