/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* XRC domains. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "call.h"
#include "config.h"

static int open_xrcd(struct call *c)
{
	struct object *o = config.xrc ? object_new(c->ctx, XRCD, sizeof(*o), NULL) : NULL;
	struct ib_uverbs_open_xrcd_resp r = { 0 };

	if (!o)
		return config.xrc ? ENOMEM : EOPNOTSUPP;
	r.xrcd_handle = o->handle;
	call_reply(c, &r, sizeof(r));
	return 0;
}

static int close_xrcd(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_XRCD_HANDLE, XRCD));
}

const struct method xrcd_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_OPEN_XRCD, "open_xrcd", open_xrcd),
	METHOD(UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, "close_xrcd", close_xrcd),
	{ 0 },
};
