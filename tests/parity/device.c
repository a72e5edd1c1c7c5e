/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "device.h"

struct vx_ctx *ctx;
struct vx_pd *pd;
struct ibv_device_attr limits;

int unless_lacking(int code)
{
	if (code == -EOPNOTSUPP || code == -EPROTONOSUPPORT || code == -ENOSYS)
		cr_skip_test("the device lacks it: %s", vx_error_text());
	return code;
}

void need_ethernet(void)
{
	struct ibv_port_attr port;

	made(vx_ctx_query_port(ctx, 1, &port));
	if (port.link_layer != IBV_LINK_LAYER_ETHERNET)
		cr_skip_test("the port is of InfiniBand");
}

void open_device(void)
{
	made(vx_ctx_open_index(0, &ctx));
	made(vx_ctx_query_device(ctx, &limits));
	made(vx_pd_create(ctx, NULL, &pd));
}

/* The emulated device tells what has been left of it. */
static void expect_nothing_left(void)
{
	int (*live)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_live");

	if (live)
		cr_expect_eq(live(NULL), 0, "leaked %d objects", live(NULL));
}

void close_device(void)
{
	cr_expect_eq(vx_close(ctx), 0, "%s", vx_error_text());
	expect_nothing_left();
}
