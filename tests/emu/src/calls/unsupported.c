/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Calls that the kernel has and that this device has nothing for, as one without the capability. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "calls/call.h"
#include "trace.h"

/* Capabilities have the others, but of this one a program learns only when it needs it */
static int map_dm_op(struct call *c)
{
	(void)c;
	complain("operations of device memory (mlx5dv_dm_map_op_addr) are not emulated: each store to such a page would have to be trapped");
	return EOPNOTSUPP;
}

const struct method unsupported_methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, "info_handles", NULL),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, "reg_dmabuf_mr", NULL),
	METHOD(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR, "map_dm_op", map_dm_op),
	METHOD(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_ESP_CREATE, "create_flow_action", NULL),
	METHOD(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_ESP_MODIFY, "modify_flow_action", NULL),
	{ 0 },
};
