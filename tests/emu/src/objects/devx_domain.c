/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Domains that a mailbox makes, to be named by other mailboxes: of protection, of XRC, of transport. */
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm.h"
#include "calls/prm_qpc.h"
#include "config.h"
#include "objects/xrcd.h"

static int make(struct call *c, struct mailboxes *m, enum kind kind, size_t size)
{
	struct object *o = object_new(c->ctx, kind, size, NULL);

	if (!o)
		return devx_refuse(m, STATUS_LIM);
	prm_set(m->out, CREATED_NUMBER, o->number);
	devx_made(c, o);
	return 0;
}

int pd_alloc(struct call *c, struct mailboxes *m)
{
	return make(c, m, PD, sizeof(struct object));
}

/* Without a file, so no other is the same */
int xrcd_alloc(struct call *c, struct mailboxes *m)
{
	return config.xrc ? make(c, m, XRCD, sizeof(struct xrcd)) : devx_refuse(m, STATUS_BAD_OP);
}

/* All queues of the device can reach each other, whatever theirs are */
int transport_domain_alloc(struct call *c, struct mailboxes *m)
{
	return make(c, m, TRANSPORT_DOMAIN, sizeof(struct object));
}
