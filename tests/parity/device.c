/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "device.h"

struct vx_context *ctx;
struct vx_pd *pd;
struct ibv_device_attr limits;

int unless_lacking(int code)
{
	if (code == -EOPNOTSUPP || code == -EPROTONOSUPPORT || code == -ENOSYS)
		cr_skip_test("the device lacks it: %s", vx_error_text());
	return code;
}

void open_device(void)
{
	made(vx_context_open_index(0, &ctx));
	made(vx_context_query_device(ctx, &limits));
	made(vx_pd_create(ctx, NULL, &pd));
}

void close_device(void)
{
	cr_expect_eq(vx_close(ctx), 0, "%s", vx_error_text());
}
