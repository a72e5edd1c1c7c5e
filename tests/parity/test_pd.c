/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "device.h"

#define MANY 10

Twin(test_pd, PDTest, test_alloc_pd)
{
	cr_expect_not_null(vx_pd_raw(pd));
	cr_expect_eq(vx_pd_raw(pd)->context, vx_ctx_raw(ctx));
}

Twin(test_pd, PDTest, test_dealloc_pd)
{
	closed(pd);
}

Twin(test_pd, PDTest, test_multiple_pd_creation)
{
	struct vx_pd *many[MANY];
	size_t i;

	for (i = 0; i < MANY; i++) {
		made(vx_pd_create(ctx, NULL, &many[i]));
		cr_expect_neq(vx_pd_raw(many[i])->handle, vx_pd_raw(pd)->handle);
	}
	for (i = 0; i < MANY; i++)
		closed(many[i]);
}

/* In C a handle is gone once it is closed, so who might close twice sets it to NULL. */
Twin(test_pd, PDTest, test_destroy_pd_twice)
{
	closed(pd);
	pd = NULL;
	closed(pd);
}
