/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Opening a device with what libmlx5 may be told then. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_vfio.h>

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

/* ---- VFIO ---- */

#if VX_RDMA_CORE >= 37
static int asked, freed;

static struct ibv_device **list_one(struct mlx5dv_vfio_context_attr *attr)
{
	static struct ibv_device *list[2];

	cr_expect_str_eq(attr->pci_name, "0000:05:00.0");
	cr_expect_eq(attr->flags, MLX5DV_VFIO_CTX_FLAGS_INIT_LINK_DOWN);
	cr_expect_eq(attr->comp_mask, 0);
	list[0] = vx_ctx_raw(ctx)->device;
	asked++;
	return list;
}

static void free_one(struct ibv_device **list)
{
	cr_expect_eq(list[0], vx_ctx_raw(ctx)->device);
	freed++;
}

static struct ibv_context *open_none(struct ibv_device *device)
{
	(void)device;
	errno = EBUSY;
	return NULL;
}

static struct ibv_device **no_such_flag(struct mlx5dv_vfio_context_attr *attr)
{
	(void)attr;
	errno = EOPNOTSUPP;
	return NULL;
}

Test(mlx5_open, a_machine_without_such_a_device_says_what_is_to_be_done)
{
	struct vx_ctx *other = NULL;

	cr_expect_eq(vx_mlx5_vfio_open("0000:ff:1f.7", 0, &other), -ENODEV);
	cr_expect_str_eq(vx_error_text(), "mlx5dv_get_vfio_device_list on 0000:ff:1f.7: No such device: vfio-pci has no mlx5 device there: it is bound to that by its "
					  "address, 0000:05:00.0, and its iommu_group in /sys is a file in /dev/vfio");
	cr_expect_eq(vx_mlx5_vfio_open("mlx5_0", 0, &other), -ENODEV);
	cr_expect_eq(vx_mlx5_vfio_open(NULL, 0, &other), -EINVAL);
	expect_reason("pci_name is NULL");
	cr_expect_eq(vx_mlx5_vfio_open("0000:ff:1f.7", 1u << 20, &other), -EOPNOTSUPP);
	expect_reason("libmlx5 does not know all of these flags");
	cr_expect_null(other);
}

Test(mlx5_open, one_that_vfio_has_is_opened_as_it_was_asked_for)
{
	struct vx_ctx *other = NULL;

	replace("mlx5dv_get_vfio_device_list", list_one);
	replace("ibv_free_device_list", free_one);
	made(vx_mlx5_vfio_open("0000:05:00.0", MLX5DV_VFIO_CTX_FLAGS_INIT_LINK_DOWN, &other));
	cr_expect_neq(vx_ctx_raw(other), vx_ctx_raw(ctx));
	made(vx_close(other));
	cr_expect_eq(vx_mlx5_vfio_open("0000:05:00.0", MLX5DV_VFIO_CTX_FLAGS_INIT_LINK_DOWN, NULL), -EINVAL);
	expect_reason("out is NULL");
	cr_expect_eq(asked, 2);
	cr_expect_eq(freed, 2);
}

Test(mlx5_open, one_that_cannot_be_opened_is_told_by_its_file)
{
	struct vx_ctx *other = NULL;

	replace("mlx5dv_get_vfio_device_list", list_one);
	replace("ibv_free_device_list", free_one);
	replace("ibv_open_device", open_none);
	cr_expect_lt(vx_mlx5_vfio_open("0000:05:00.0", MLX5DV_VFIO_CTX_FLAGS_INIT_LINK_DOWN, &other), 0);
	expect_reason("ibv_open_device on 0000:05:00.0: ");
	expect_reason("/dev/vfio");
	cr_expect_eq(freed, 1);
	replace("mlx5dv_get_vfio_device_list", no_such_flag);
	cr_expect_eq(vx_mlx5_vfio_open("0000:05:00.0", 0, &other), -EOPNOTSUPP);
	cr_expect_null(other);
}
#endif
