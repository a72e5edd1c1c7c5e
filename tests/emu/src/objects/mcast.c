/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/mcast.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "bounds.h"
#include "calls/call.h"
#include "objects/gid.h"
#include "objects/qp.h"
#include "objects/qp_open.h"

#define PERMISSIVE_LID 0xffff

static struct member {
	uint8_t gid[GID_SIZE];
	struct qp *qp; /* NULL: a free place */
} members[MAX_MCAST];

bool mcast_is_member(const struct qp *q)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (members[i].qp == q)
			return true;
	return false;
}

void mcast_leave_all(const struct qp *q)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (members[i].qp == q)
			members[i].qp = NULL;
}

bool mcast_each(const uint8_t gid[GID_SIZE], void (*fn)(struct qp *member, void *arg), void *arg)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (!members[i].qp || memcmp(members[i].gid, gid, GID_SIZE))
			continue;
		fn(members[i].qp, arg);
		any = true;
	}
	return any;
}

/* The place of a QP in a group; for no QP, a free place */
static struct member *place_of(const struct qp *q, const uint8_t *gid)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (members[i].qp == q && (!q || !memcmp(members[i].gid, gid, GID_SIZE)))
			return &members[i];
	return NULL;
}

/* Whichever port the QP is of: on Ethernet a group has no LID that would count */
static bool lid_ok(const struct call *c, uint16_t mlid)
{
	return call_is_ethernet(c) || (mlid > MAX_UNICAST_LID && mlid != PERMISSIVE_LID);
}

static int check_group(const struct call *c, const struct ib_uverbs_attach_mcast *in, const struct qp *q)
{
	if (!q)
		return ENOENT;
	return q->type == IBV_QPT_UD && gid_is_multicast(in->gid) && lid_ok(c, in->mlid) ? 0 : EINVAL;
}

static int attach_mcast(struct call *c)
{
	const struct ib_uverbs_attach_mcast *in = c->in;
	struct qp *q = qp_of_handle(c, in->qp_handle);
	struct member *m;
	int rc = check_group(c, in, q);

	if (rc || place_of(q, in->gid))
		return rc;
	m = place_of(NULL, NULL);
	if (!m)
		return ENOMEM;
	memcpy(m->gid, in->gid, GID_SIZE);
	m->qp = q;
	return 0;
}

/* The two commands have one layout */
static int detach_mcast(struct call *c)
{
	const struct ib_uverbs_attach_mcast *in = c->in;
	struct qp *q = qp_of_handle(c, in->qp_handle);
	int rc = check_group(c, in, q);
	struct member *m;

	if (rc)
		return rc;
	m = place_of(q, in->gid);
	if (!m)
		return EINVAL;
	m->qp = NULL;
	return 0;
}

const struct method mcast_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_ATTACH_MCAST, ib_uverbs_attach_mcast, "attach_mcast", attach_mcast),
	COMMAND(IB_USER_VERBS_CMD_DETACH_MCAST, ib_uverbs_attach_mcast, "detach_mcast", detach_mcast),
	{ 0 },
};
