/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Steering anchors: tables by which rules of elsewhere go on to the flows of a priority. Those of one priority are one table, as in
 * the real driver, and nothing goes through it here: there are no rules of elsewhere.
 */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "bounds.h"
#include "calls/call.h"
#include "objects/flow.h"

#define FIRST_TABLE MAX_OBJECTS /* after those that mailboxes make */
#define TABLES_A_TYPE (FLOW_LAST_PRIORITY + 1)

static int create_anchor(struct call *c)
{
	uint32_t type = call_value(c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE);
	uint16_t priority = call_value(c, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY);
	struct object *o;

	if (!call_is_ethernet(c) || type > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX)
		return EOPNOTSUPP;
	if (priority > FLOW_LAST_PRIORITY)
		return ENOMEM;
	o = object_new(c->ctx, STEERING_ANCHOR, sizeof(*o), NULL);
	if (!o)
		return ENOMEM;
	call_put_u32(c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, FIRST_TABLE + type * TABLES_A_TYPE + priority);
	call_put_handle(c, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, o->handle);
	return 0;
}

static int destroy_anchor(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_STEERING_ANCHOR_DESTROY_HANDLE, STEERING_ANCHOR));
}

const struct method steering_anchor_methods[] = {
	METHOD(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE, "create_steering_anchor",
	       create_anchor),
	METHOD(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY,
	       "destroy_steering_anchor", destroy_anchor),
	{ 0 },
};
