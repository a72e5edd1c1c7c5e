/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Protection domains. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "calls/call.h"
#include "objects/exported.h"
#include "objects/imported.h"

static int alloc_pd(struct call *c)
{
	struct object *pd = object_new(c->ctx, PD, sizeof(*pd), NULL);
	struct ib_uverbs_alloc_pd_resp r = { 0 };
	struct mlx5_ib_alloc_pd_resp driver = { 0 };

	if (!pd)
		return ENOMEM;
	exported_pd(pd);
	r.pd_handle = pd->handle;
	driver.pdn = pd->number;
	call_reply(c, &r, sizeof(r));
	call_driver_out(c, &driver, sizeof(driver));
	return 0;
}

static int dealloc_pd(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_PD_HANDLE, PD));
}

static int query_pd(struct call *c)
{
	const struct object *pd = import_object(c->ctx, PD, call_value(c, MLX5_IB_ATTR_QUERY_PD_HANDLE));

	if (!pd)
		return ENOENT;
	call_put_u32(c, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, pd->number);
	return 0;
}

const struct method pd_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_ALLOC_PD, ib_uverbs_alloc_pd, "alloc_pd", alloc_pd),
	METHOD(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, "dealloc_pd", dealloc_pd),
	METHOD(UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, "query_pd", query_pd),
	{ 0 },
};
