/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Packet pacing: rates have numbers; here they slow nothing down. */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "calls/call.h"

static int alloc_pp(struct call *c)
{
	uint32_t flags = call_value(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS);
	struct object *o;
	uint16_t index;

	if (flags & ~(uint32_t)MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX ||
	    !call_attr(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX))
		return EINVAL;
	o = object_new(c->ctx, PP, sizeof(*o), NULL);
	if (!o)
		return ENOMEM;
	index = o->number;
	call_put(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, &index, sizeof(index));
	call_put_handle(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE, o->handle);
	return 0;
}

static int free_pp(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_PP_OBJ_DESTROY_HANDLE, PP));
}

const struct method pp_methods[] = {
	METHOD(MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC, "alloc_pp", alloc_pp),
	METHOD(MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_DESTROY, "free_pp", free_pp),
	{ 0 },
};
