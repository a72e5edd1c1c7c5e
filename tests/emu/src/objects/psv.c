/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Protected signature values: a signature mkey has two of them. */
#include <errno.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm.h"
#include "config.h"

/* libmlx5 asks for one at a time */
int psv_create(struct call *c, struct mailboxes *m)
{
	struct object *pd = call_numbered(c, PD, prm_get(m->in, CREATE_PSV_PD)), *psv;

	if (!config.signature)
		return devx_refuse(m, STATUS_BAD_OP);
	if (!pd)
		return devx_refuse(m, STATUS_BAD_PARAM);
	if (m->out_len * 8 < CREATE_PSV_INDEX0.offset + CREATE_PSV_INDEX0.width)
		return EINVAL;
	psv = object_new(c->ctx, PSV, sizeof(*psv), pd);
	if (!psv)
		return ENOMEM;
	prm_set(m->out, CREATE_PSV_INDEX0, psv->number);
	devx_made(c, psv);
	return 0;
}
