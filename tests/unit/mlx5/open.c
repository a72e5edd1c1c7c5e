/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Opening a device with what libmlx5 may be told then. */

#include <verbsx/mlx5.h>

#include "unit/record.h"

TestSuite(mlx5_open, .init = open_device, .fini = close_device);

static bool is_no_mlx5(struct ibv_device *device)
{
	(void)device;
	return false;
}

static uint32_t given_flags;

static struct ibv_context *refuse(struct ibv_device *device, struct mlx5dv_context_attr *attr)
{
	cr_expect_eq(device, vx_ctx_raw(ctx)->device);
	given_flags = attr ? attr->flags : 0;
	errno = EPERM;
	return NULL;
}

Test(mlx5_open, a_context_that_must_do_devx_does)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct vx_mlx5_devx_uar *uar;
	struct vx_ctx *other;

	made(vx_mlx5_ctx_open_device(vx_ctx_raw(ctx)->device, &attr, &other));
	cr_expect_neq(vx_ctx_raw(other), vx_ctx_raw(ctx));
	made(vx_mlx5_devx_uar_create(other, NULL, &uar));
	made(vx_close(other));
	made(vx_mlx5_ctx_open_device(vx_ctx_raw(ctx)->device, NULL, &other));
	made(vx_close(other));
}

Test(mlx5_open, what_cannot_be_is_told)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device *device = vx_ctx_raw(ctx)->device;
	struct vx_ctx *other = NULL;

	cr_expect_eq(vx_mlx5_ctx_open_device(NULL, &attr, &other), -EINVAL);
	expect_reason("device is NULL");
	cr_expect_eq(vx_mlx5_ctx_open_device(device, &attr, NULL), -EINVAL);
	expect_reason("out is NULL");
	attr.comp_mask = 1 << 20;
	cr_expect_eq(vx_mlx5_ctx_open_device(device, &attr, &other), -EINVAL);
	expect_reason("attr.comp_mask has 0x100000");
	attr.comp_mask = 1ull << 40;
	cr_expect_eq(vx_mlx5_ctx_open_device(device, &attr, &other), -EINVAL);
	expect_reason("attr.comp_mask has 0x10000000000");
	attr.comp_mask = 0;
	replace("mlx5dv_open_device", refuse);
	cr_expect_eq(vx_mlx5_ctx_open_device(device, &attr, &other), -EPERM);
	cr_expect_eq(given_flags, MLX5DV_CONTEXT_FLAGS_DEVX);
	expect_reason("mlx5dv_open_device on mlx5_0");
	replace("mlx5dv_is_supported", is_no_mlx5);
	cr_expect_eq(vx_mlx5_ctx_open_device(device, &attr, &other), -EOPNOTSUPP);
	expect_reason("the device is of another vendor");
	cr_expect_null(other);
}
