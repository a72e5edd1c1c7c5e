/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Memory regions. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "calls/call.h"
#include "config.h"
#include "objects/dm.h"
#include "objects/exported.h"
#include "objects/imported.h"
#include "objects/mkey.h"
#include "objects/odp.h"
#include "objects/pages.h"

#define FIRST_VARIANT 0x17

#define REMOTE_CHANGE (IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC)
#define KNOWN_ACCESS                                                                         \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_READ | REMOTE_CHANGE |       \
	 IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ZERO_BASED | IB_UVERBS_ACCESS_HUGETLB | \
	 IB_UVERBS_ACCESS_ON_DEMAND | IB_UVERBS_ACCESS_OPTIONAL_RANGE)
#define KNOWN_REREG (IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS)

static int check_access(uint32_t access)
{
	if (access & IB_UVERBS_ACCESS_ON_DEMAND && !config.odp)
		return EOPNOTSUPP;
	if (access & ~KNOWN_ACCESS)
		return EINVAL;
	if (access & REMOTE_CHANGE && !(access & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return EINVAL;
	return 0;
}

/* A page of I/O addresses is a page of memory */
static int check_range(uint64_t start, uint64_t iova, uint64_t len, uint32_t access)
{
	if (odp_is_implicit(start, len))
		return access & IB_UVERBS_ACCESS_ON_DEMAND && !iova ? 0 : EINVAL;
	return !len || start + len < start || (start ^ iova) & (DEVICE_PAGE - 1) ? EINVAL : 0;
}

/* Of memory on demand nobody looks at a page before it is used */
static int check_memory(uint64_t start, uint64_t len, uint32_t access)
{
	bool write = access & (IB_UVERBS_ACCESS_LOCAL_WRITE | REMOTE_CHANGE | IB_UVERBS_ACCESS_MW_BIND);

	if (access & IB_UVERBS_ACCESS_ON_DEMAND)
		return 0;
	return pages_can_be_pinned(start, len, write) ? 0 : EFAULT;
}

static void set_translation(struct mkey *m, uint64_t start, uint64_t iova, uint64_t len)
{
	m->host = start;
	m->start = iova;
	m->len = len;
}

static int reg_mr(struct call *c)
{
	const struct ib_uverbs_reg_mr *in = c->in;
	struct object *pd = call_find(c, PD, in->pd_handle);
	struct ib_uverbs_reg_mr_resp r = { 0 };
	int rc = check_access(in->access_flags);
	struct mkey *m;

	if (!pd)
		return ENOENT;
	if (!rc)
		rc = check_range(in->start, in->hca_va, in->length, in->access_flags);
	if (!rc)
		rc = check_memory(in->start, in->length, in->access_flags);
	if (rc)
		return rc;
	m = object_new(c->ctx, MR, sizeof(*m), pd);
	if (!m)
		return ENOMEM;
	m->variant = FIRST_VARIANT;
	m->access = in->access_flags;
	set_translation(m, in->start, in->hca_va, in->length);
	exported_mr(m);
	r.mr_handle = m->o.handle;
	r.lkey = r.rkey = mkey_value(m);
	call_reply(c, &r, sizeof(r));
	return 0;
}

void mr_release(struct object *o)
{
	struct mkey *m = (struct mkey *)o;

	object_drop(m->dm);
	import_release(m);
}

/* Its addresses are offsets in that memory */
static int check_dm_range(const struct dm *dm, uint64_t offset, uint64_t len, uint32_t access)
{
	if (!(access & IB_UVERBS_ACCESS_ZERO_BASED) || offset > dm->len || len > dm->len - offset)
		return EINVAL;
	return check_access(access);
}

static int reg_dm_mr(struct call *c)
{
	struct object *pd = call_object(c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, PD);
	struct dm *dm = call_object(c, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, DM);
	uint64_t offset = call_value(c, UVERBS_ATTR_REG_DM_MR_OFFSET);
	uint64_t len = call_value(c, UVERBS_ATTR_REG_DM_MR_LENGTH);
	uint32_t access = call_value(c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS);
	struct mkey *m;
	int rc;

	if (!pd || !dm)
		return ENOENT;
	rc = check_dm_range(dm, offset, len, access);
	if (rc)
		return rc;
	m = object_new(c->ctx, MR, sizeof(*m), pd);
	if (!m)
		return ENOMEM;
	m->variant = FIRST_VARIANT;
	m->access = access;
	m->dm = &dm->o;
	object_hold(m->dm);
	set_translation(m, (uintptr_t)dm->memory + offset, 0, len);
	call_put_u32(c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, mkey_value(m));
	call_put_u32(c, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, mkey_value(m));
	call_put_handle(c, UVERBS_ATTR_REG_DM_MR_HANDLE, m->o.handle);
	return 0;
}

static int check_rereg(const struct ib_uverbs_rereg_mr *in, const struct mkey *m, const struct object *pd)
{
	uint32_t access = in->flags & IBV_REREG_MR_CHANGE_ACCESS ? in->access_flags : m->access;
	int rc = 0;

	if (!in->flags || in->flags & ~KNOWN_REREG)
		return EINVAL;
	if (in->flags & IBV_REREG_MR_CHANGE_PD && !pd)
		return ENOENT;
	if (in->flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		rc = in->start ? check_range(in->start, in->hca_va, in->length, access) : EINVAL;
	if (!rc && in->flags & IBV_REREG_MR_CHANGE_ACCESS)
		rc = check_access(access);
	if (!rc && in->flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		rc = check_memory(in->start, in->length, access);
	return rc;
}

static void change_pd(struct mkey *m, struct object *pd)
{
	object_drop(m->o.pd);
	m->o.pd = pd;
	object_hold(pd);
}

static int rereg_mr(struct call *c)
{
	const struct ib_uverbs_rereg_mr *in = c->in;
	struct object *pd = call_find(c, PD, in->pd_handle);
	struct mkey *m = call_find(c, MR, in->mr_handle);
	struct ib_uverbs_rereg_mr_resp r = { 0 };
	int rc;

	if (!m)
		return ENOENT;
	if (m->exported)
		return object_refuse(&m->o);
	rc = check_rereg(in, m, pd);
	if (rc)
		return rc;
	if (in->flags & IBV_REREG_MR_CHANGE_ACCESS)
		m->access = in->access_flags;
	if (in->flags & IBV_REREG_MR_CHANGE_PD)
		change_pd(m, pd);
	if (in->flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		set_translation(m, in->start, in->hca_va, in->length);
		m->variant++; /* the old key stops working */
	}
	exported_mr(m);
	r.lkey = r.rkey = mkey_value(m);
	call_reply(c, &r, sizeof(r));
	return 0;
}

static int dereg_mr(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_MR_HANDLE, MR));
}

static int query_mr(struct call *c)
{
	const struct mkey *m = import_object(c->ctx, MR, call_value(c, UVERBS_ATTR_QUERY_MR_HANDLE));

	if (!m)
		return ENOENT;
	call_put_u32(c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, mkey_value(m));
	call_put_u32(c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, mkey_value(m));
	call_put_u64(c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, m->len);
	call_put_u64(c, UVERBS_ATTR_QUERY_MR_RESP_IOVA, m->start);
	return 0;
}

const struct method mr_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_REG_MR, ib_uverbs_reg_mr, "reg_mr", reg_mr),
	COMMAND(IB_USER_VERBS_CMD_REREG_MR, ib_uverbs_rereg_mr, "rereg_mr", rereg_mr),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, "reg_dm_mr", reg_dm_mr),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, "dereg_mr", dereg_mr),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, "query_mr", query_mr),
	{ 0 },
};
