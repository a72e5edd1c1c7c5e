/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/odp.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/hca_cap.h"
#include "config.h"
#include "objects/mkey.h"
#include "objects/pages.h"

#define WRITABLE \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)

/* What a service can do with such memory, in verbs' bits */
#define DATAGRAM (IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_SRQ_RECV)
#define CONNECTED (DATAGRAM | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC)

bool odp_is_implicit(uint64_t start, uint64_t len)
{
	return !start && len == UINT64_MAX;
}

void odp_put_verbs_caps(struct ib_uverbs_ex_query_device_resp *r)
{
	if (!config.odp)
		return;
	r->odp_caps.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT;
	r->odp_caps.per_transport_caps.rc_odp_caps = CONNECTED;
	r->odp_caps.per_transport_caps.uc_odp_caps = DATAGRAM | IBV_ODP_SUPPORT_WRITE;
	r->odp_caps.per_transport_caps.ud_odp_caps = DATAGRAM;
	r->xrc_odp_caps = config.xrc ? CONNECTED : 0;
}

static uint32_t service_bits(uint32_t verbs)
{
	static const struct {
		uint32_t verbs, prm;
	} bits[] = {
		{ IBV_ODP_SUPPORT_SEND, 1u << 31 },   { IBV_ODP_SUPPORT_RECV, 1u << 30 },
		{ IBV_ODP_SUPPORT_WRITE, 1u << 29 },  { IBV_ODP_SUPPORT_READ, 1u << 28 },
		{ IBV_ODP_SUPPORT_ATOMIC, 1u << 27 }, { IBV_ODP_SUPPORT_SRQ_RECV, 1u << 26 },
	};
	uint32_t prm = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (verbs & bits[i].verbs)
			prm |= bits[i].prm;
	return prm;
}

void odp_put_caps(uint8_t *out)
{
	/* The services in the mailbox, a word each with the same bits from the top */
	const struct {
		struct field at;
		uint32_t caps;
	} services[] = {
		{ ODP_RC_CAPS, CONNECTED }, { ODP_UC_CAPS, DATAGRAM | IBV_ODP_SUPPORT_WRITE },
		{ ODP_UD_CAPS, DATAGRAM },  { ODP_XRC_CAPS, CONNECTED },
		{ ODP_DC_CAPS, CONNECTED },
	};

	if (!config.odp)
		return;
	prm_set(out, ODP_SIG, 1);
	for (size_t i = 0; i < ARRAY_SIZE(services); i++)
		prm_set(out, services[i].at, service_bits(services[i].caps));
}

/* The region that an advice is about; as in the kernel, all are looked up before anything is done */
static int find_region(const struct ib_uverbs_sge *s, const struct object *pd, uint32_t advice,
		const struct mkey **found)
{
	const struct mkey *m = mkey_by_index(pd->device, s->lkey);

	if (!m || m->o.kind != MR || mkey_value(m) != s->lkey || !(m->access & IBV_ACCESS_ON_DEMAND))
		return ENOENT;
	if (m->o.pd != pd || (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE && !(m->access & WRITABLE)))
		return EPERM;
	*found = m;
	return 0;
}

static int prefetch(const struct mkey *m, const struct ib_uverbs_sge *s, uint32_t advice)
{
	if (s->addr < m->start || s->length > m->len || s->addr - m->start > m->len - s->length)
		return EFAULT;
	if (!s->length || advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return 0; /* only what is there anyway would be mapped */
	return pages_populate(m->host + (s->addr - m->start), s->length,
			      advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE) ?
		       0 :
		       EFAULT;
}

/* What fails without a flush nobody hears of: the kernel does it later */
static int advise(const struct object *pd, const struct ib_uverbs_sge *list, size_t n, uint32_t advice,
		  bool flush)
{
	const struct mkey *m;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = find_region(&list[i], pd, advice, &m);
	for (size_t i = 0; i < n && !rc; i++) {
		find_region(&list[i], pd, advice, &m);
		rc = prefetch(m, &list[i], advice);
		if (!flush)
			rc = 0;
	}
	return rc;
}

static int advise_mr(struct call *c)
{
	const struct object *pd = call_object(c, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, PD);
	uint32_t advice = call_value(c, UVERBS_ATTR_ADVISE_MR_ADVICE);
	uint32_t flags = call_value(c, UVERBS_ATTR_ADVISE_MR_FLAGS);
	struct ib_uverbs_attr *list = call_attr(c, UVERBS_ATTR_ADVISE_MR_SGE_LIST);

	if (!pd)
		return ENOENT;
	if (!config.odp || advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return EOPNOTSUPP;
	if (!list || list->len < sizeof(struct ib_uverbs_sge) ||
	    flags & ~(uint32_t)IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return EINVAL;
	return advise(pd, attr_data(list), list->len / sizeof(struct ib_uverbs_sge), advice,
		      flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH);
}

const struct method odp_methods[] = {
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, "advise_mr", advise_mr),
	{ 0 },
};
