/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Memory windows; binding one is a work request, see umr.c. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "calls/call.h"
#include "config.h"
#include "objects/mkey.h"

static int alloc_mw(struct call *c)
{
	const struct ib_uverbs_alloc_mw *in = c->in;
	struct object *pd = call_find(c, PD, in->pd_handle);
	struct ib_uverbs_alloc_mw_resp r = { 0 };
	struct mkey *m;

	if (!config.mw)
		return EOPNOTSUPP;
	if (!pd)
		return ENOENT;
	if (in->mw_type != IBV_MW_TYPE_1 && in->mw_type != IBV_MW_TYPE_2)
		return EINVAL;
	m = object_new(c->ctx, MW, sizeof(*m), pd);
	if (!m)
		return ENOMEM;
	m->indirect = m->invalid = true;
	r.mw_handle = m->o.handle;
	r.rkey = mkey_value(m);
	call_reply(c, &r, sizeof(r));
	return 0;
}

static int dealloc_mw(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_MW_HANDLE, MW));
}

const struct method mw_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_ALLOC_MW, ib_uverbs_alloc_mw, "alloc_mw", alloc_mw),
	METHOD(UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, "dealloc_mw", dealloc_mw),
	{ 0 },
};
