/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Address handles; on InfiniBand libmlx5 makes them by itself. */
#include <errno.h>
#include <string.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "calls/call.h"
#include "objects/port.h"

static int create_ah(struct call *c)
{
	const struct ib_uverbs_create_ah *in = c->in;
	struct object *pd = call_find(c, PD, in->pd_handle);
	struct mlx5_ib_create_ah_resp driver = { .response_length = sizeof(driver) };
	struct ib_uverbs_create_ah_resp r = { 0 };
	struct object *o;
	uint8_t port = call_port(c, in->attr.port_num);
	int rc;

	if (!pd)
		return ENOENT;
	rc = port_check_path(port, in->attr.is_global, in->attr.grh.sgid_index);
	if (rc)
		return rc;
	if (!port_finds_mac(port, in->attr.grh.sgid_index, in->attr.grh.dgid))
		return EINVAL;
	o = object_new(c->ctx, AH, sizeof(*o), pd);
	if (!o)
		return ENOMEM;
	r.ah_handle = o->handle;
	gid_to_mac(driver.dmac, in->attr.grh.dgid);
	call_reply(c, &r, sizeof(r));
	call_driver_out(c, &driver, sizeof(driver));
	return 0;
}

static int destroy_ah(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_AH_HANDLE, AH));
}

const struct method ah_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_CREATE_AH, ib_uverbs_create_ah, "create_ah", create_ah),
	METHOD(UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, "destroy_ah", destroy_ah),
	{ 0 },
};
