/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The device in the text of a path. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit/device.h"

TestSuite(path_end, .init = open_device, .fini = close_device);

static const char *printed(const struct vx_path *path)
{
	static char text[2048];

	vx_path_snprint(text, sizeof(text), path);
	return text;
}

Test(path_end, is_the_device_that_is_given)
{
	struct vx_path path;

	made(vx_path_parse("7 sl=3", ctx, &path));
	cr_expect_eq(path.ctx, ctx);
	cr_expect_str_eq(printed(&path), "7%mlx5_0 sl=3");
	made(vx_path_parse("7%mlx5_0/1", ctx, &path));
	cr_expect_eq(path.port_num, 1);
	cr_expect_str_eq(printed(&path), "7%mlx5_0/1");
}

Test(path_end, is_a_device_that_is_open)
{
	struct vx_path path;
	struct vx_ctx *second;

	made(vx_ctx_open("mlx5_0", &second));
	made(vx_path_parse("7%mlx5_0/1", NULL, &path));
	cr_expect_eq(path.ctx, ctx);
	made(vx_path_parse("7", NULL, &path));
	cr_expect_null(path.ctx);
	made(vx_close(second));
}

Test(path_end, stands_by_its_key_where_there_is_no_address)
{
	struct vx_path path;

	made(vx_path_parse("ctx=mlx5_0/2", NULL, &path));
	cr_expect_eq(path.ctx, ctx);
	cr_expect_eq(path.port_num, 2);
	cr_expect_str_eq(printed(&path), "ctx=mlx5_0 port_num=2");
	cr_expect_eq(vx_path_parse("7%mlx5_0 ctx=mlx5_0", NULL, &path), -EINVAL);
	expect_reason("\"ctx=mlx5_0\" at column 10 says something that was said before");
	cr_expect_eq(vx_path_parse("7%mlx5_0/1 port=1", NULL, &path), -EINVAL);
	cr_expect_eq(vx_path_parse("7%mlx5_0/", NULL, &path), -EINVAL);
	expect_reason("needs a number");
	cr_expect_eq(vx_path_parse("7%mlx5_0/256", NULL, &path), -ERANGE);
}

Test(path_end, is_no_other_device)
{
	struct vx_path path;

	cr_expect_eq(vx_path_parse("7%mlx5_1", ctx, &path), -ENODEV);
	expect_reason("\"7%mlx5_1\" at column 1 names another device than that of ctx");
	cr_expect_eq(vx_path_parse("7%mlx5", ctx, &path), -ENODEV);
#if !VERBSX_CHECKS /* that ends the program */
	cr_expect_eq(vx_path_parse("7", (struct vx_ctx *)(void *)pd, &path), -EINVAL);
#endif
}
