/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Pages with doorbells: UARs, and VARs, which are those of virtio queues. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "calls/bar.h"
#include "calls/call.h"

static int alloc_uar(struct call *c)
{
	struct object *o = object_new(c->ctx, UAR, sizeof(*o), NULL);

	if (!o)
		return ENOMEM;
	call_put_u64(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, bar_uar_offset(o->number));
	call_put_u32(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4096);
	call_put_u32(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, o->number);
	call_put_handle(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, o->handle);
	return 0;
}

static int free_uar(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, UAR));
}

static int alloc_var(struct call *c)
{
	struct object *o = object_new(c->ctx, VAR, sizeof(*o), NULL);

	if (!o)
		return ENOMEM;
	call_put_u64(c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_OFFSET, bar_uar_offset(o->number));
	call_put_u32(c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_LENGTH, 4096);
	call_put_u32(c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_PAGE_ID, o->number);
	call_put_handle(c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_HANDLE, o->handle);
	return 0;
}

static int free_var(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_VAR_OBJ_DESTROY_HANDLE, VAR));
}

const struct method uar_methods[] = {
	METHOD(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, "alloc_uar", alloc_uar),
	METHOD(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, "free_uar", free_uar),
	METHOD(MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_ALLOC, "alloc_var", alloc_var),
	METHOD(MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_DESTROY, "free_var", free_var),
	{ 0 },
};
