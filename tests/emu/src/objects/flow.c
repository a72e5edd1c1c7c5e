/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/flow.h"

#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "calls/call.h"
#include "objects/counters.h"
#include "objects/flow_matcher.h"
#include "objects/port.h"
#include "objects/qp.h"

#define FLAG_DONT_TRAP IBV_FLOW_ATTR_FLAGS_DONT_TRAP
#define FLAG_EGRESS IBV_FLOW_ATTR_FLAGS_EGRESS

/* The largest specification in the kernel's layout */
#define MAX_SPEC_SIZE sizeof(struct ib_uverbs_flow_spec_ipv6)

#define TAG_LIMIT (1u << 24)

/* The provider's part of a call */
struct driver_part {
	uint32_t ncounters_data, reserved;
	struct mlx5_ib_flow_counters_data data;
};

struct flow_list flow_list = TAILQ_HEAD_INITIALIZER(flow_list);

static uint32_t spec_size(const struct ib_uverbs_flow_spec_hdr *h)
{
	switch (h->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		return sizeof(struct ib_uverbs_flow_spec_action_tag);
	case IBV_FLOW_SPEC_ACTION_DROP:
		return sizeof(struct ib_uverbs_flow_spec_action_drop);
	case IBV_FLOW_SPEC_ACTION_COUNT:
		return sizeof(struct ib_uverbs_flow_spec_action_count);
	default:
		return h->size;
	}
}

static int add_tag(struct flow *f, uint32_t tag)
{
	if (tag >= TAG_LIMIT)
		return EINVAL;
	f->has_tag = true;
	f->tag = tag;
	return 0;
}

static int add_counters(const struct call *c, struct flow *f, uint32_t handle)
{
	struct counters *k = call_find(c, COUNTERS, handle);

	if (!k || f->counters)
		return EINVAL;
	f->counters = k;
	return 0;
}

static int add_filter(struct flow *f, const struct ib_uverbs_flow_spec_hdr *h)
{
	const uint8_t *val = (const uint8_t *)(h + 1);
	size_t size = (h->size - sizeof(*h)) / 2;

	return matches_add(&f->matches, h->type, val, val + size, size);
}

/* There are no flow actions that a handle could name */
static int add_spec(const struct call *c, struct flow *f, const struct ib_uverbs_flow_spec_hdr *h)
{
	if (h->reserved || h->size != spec_size(h))
		return EINVAL;
	switch (h->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		return add_tag(f, ((const struct ib_uverbs_flow_spec_action_tag *)h)->tag_id);
	case IBV_FLOW_SPEC_ACTION_DROP:
		f->drop = true;
		return 0;
	case IBV_FLOW_SPEC_ACTION_COUNT:
		return add_counters(c, f, ((const struct ib_uverbs_flow_spec_action_count *)h)->handle);
	default:
		return add_filter(f, h);
	}
}

static int add_specs(const struct call *c, struct flow *f, const struct ib_uverbs_flow_attr *a)
{
	const struct ib_uverbs_flow_spec_hdr *h = a->flow_specs;
	uint32_t left = a->size;
	int rc;

	for (int i = 0; i < a->num_of_specs; i++) {
		if (left < sizeof(*h) || h->size < sizeof(*h) || h->size > left)
			return EINVAL;
		rc = add_spec(c, f, h);
		if (rc)
			return rc;
		left -= h->size;
		h = (const void *)((const uint8_t *)h + h->size);
	}
	return left ? EINVAL : 0;
}

/* The rules of the kernel, before those of the driver */
static int check_attr(const struct call *c, const struct ib_uverbs_flow_attr *a, const struct qp *q)
{
	bool by_default = a->type == IBV_FLOW_ATTR_ALL_DEFAULT || a->type == IBV_FLOW_ATTR_MC_DEFAULT;

	if (a->flags & ~(uint32_t)(FLAG_DONT_TRAP | FLAG_EGRESS) || (a->flags & FLAG_DONT_TRAP && by_default))
		return EINVAL;
	if (a->num_of_specs > MAX_FLOW_SPECS || a->size > a->num_of_specs * MAX_SPEC_SIZE ||
	    c->in_len < sizeof(struct ib_uverbs_create_flow) + a->size)
		return EINVAL;
	if (!call_port(c, a->port) || !q || (q->type != IBV_QPT_UD && q->type != IBV_QPT_RAW_PACKET))
		return EINVAL;
	return 0;
}

/* Those of the driver; a UD QP has nothing that frames could be steered to */
static int check_driver(const struct ib_uverbs_flow_attr *a, const struct driver_part *driver,
			const struct qp *q)
{
	if (driver->ncounters_data > 1)
		return EINVAL;
	if (a->priority > FLOW_LAST_PRIORITY)
		return ENOMEM;
	if (a->flags & FLAG_EGRESS)
		return EOPNOTSUPP;
	if (a->type > IBV_FLOW_ATTR_SNIFFER || q->type != IBV_QPT_RAW_PACKET)
		return EINVAL;
	return 0;
}

static uint32_t rank(const struct flow *f, uint16_t priority)
{
	if (f->type != IBV_FLOW_ATTR_NORMAL)
		return FLOW_RANK_DEFAULT;
	if (matches_are_multicast(&f->matches) && !f->dont_trap)
		return FLOW_RANK_MULTICAST;
	return f->dont_trap ? FLOW_RANK(priority) - 1 : FLOW_RANK(priority);
}

static bool matches_same(const struct flow *a, const struct flow *b)
{
	if (!a->matcher || !b->matcher)
		return a->matcher == b->matcher && matches_equal(&a->matches, &b->matches);
	return !memcmp(a->matcher->mask, b->matcher->mask, FTE_SIZE) && !memcmp(a->value, b->value, FTE_SIZE);
}

bool flow_is_same_rule(const struct flow *a, const struct flow *b)
{
	return a->o.device == b->o.device && a->rank == b->rank && a->type == b->type && a->egress == b->egress && matches_same(a, b);
}

/* Flows of equal specifications are one rule, which has one tag, and drops or does not */
int flow_check_conflicts(const struct flow *f)
{
	const struct flow *o;

	TAILQ_FOREACH(o, &flow_list, link)
	{
		if (o->port == f->port && flow_is_same_rule(o, f) &&
		    (o->drop != f->drop || (f->has_tag && f->tag != o->tag)))
			return EEXIST;
	}
	return 0;
}

/* What the specifications say is looked at in flows of the normal type only */
static int describe(struct flow *f, const struct call *c, const struct ib_uverbs_flow_attr *a)
{
	int rc = add_specs(c, f, a);

	f->o.device = call_device(c);
	f->type = a->type;
	f->port = call_port(c, a->port);
	f->dont_trap = a->flags & FLAG_DONT_TRAP;
	if (f->type != IBV_FLOW_ATTR_NORMAL) {
		f->matches.count = 0;
		f->drop = f->has_tag = false;
		f->tag = 0;
		f->counters = NULL;
	}
	f->rank = rank(f, a->priority);
	if (!rc)
		rc = matches_check(&f->matches);
	return rc ? rc : flow_check_conflicts(f);
}

static void insert(struct flow *f)
{
	struct flow *after;

	TAILQ_FOREACH(after, &flow_list, link)
	{
		if (after->rank > f->rank) {
			TAILQ_INSERT_BEFORE(after, f, link);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&flow_list, f, link);
}

struct flow *flow_new(struct call *c, const struct flow *wanted)
{
	struct flow *f = object_new(c->ctx, FLOW, sizeof(*f), NULL);
	struct object o;

	if (!f)
		return NULL;
	o = f->o;
	*f = *wanted;
	f->o = o;
	object_hold((struct object *)f->qp);
	insert(f);
	return f;
}

static int check_flow(struct call *c, const struct ib_uverbs_create_flow *in, const struct driver_part *driver,
		 struct flow *wanted)
{
	const struct qp *q = call_find(c, QP, in->qp_handle);
	int rc;

	if (!call_is_ethernet(c))
		return EOPNOTSUPP;
	if (in->comp_mask)
		return EINVAL;
	rc = check_attr(c, &in->flow_attr, q);
	if (!rc)
		rc = check_driver(&in->flow_attr, driver, q);
	if (!rc)
		rc = describe(wanted, c, &in->flow_attr);
	return rc;
}

static int create_flow(struct call *c)
{
	const struct ib_uverbs_create_flow *in = c->in;
	struct ib_uverbs_create_flow_resp r = { 0 };
	struct driver_part driver;
	struct flow wanted = { 0 }, *f;
	int rc;

	call_driver_in(c, &driver, sizeof(driver));
	rc = check_flow(c, in, &driver, &wanted);
	if (!rc && wanted.counters)
		rc = counters_bind(wanted.counters, driver.ncounters_data ? &driver.data : NULL);
	if (rc)
		return rc;
	wanted.qp = call_find(c, QP, in->qp_handle);
	f = flow_new(c, &wanted);
	if (!f) {
		if (wanted.counters)
			counters_unbind(wanted.counters);
		return ENOMEM;
	}
	r.flow_handle = f->o.handle;
	call_reply(c, &r, sizeof(r));
	return 0;
}

void flow_release(struct object *o)
{
	struct flow *f = (struct flow *)o;

	TAILQ_REMOVE(&flow_list, f, link);
	object_drop((struct object *)f->qp);
	flow_dv_release(f);
	if (f->counters)
		counters_unbind(f->counters);
}

static int destroy_flow(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_FLOW_HANDLE, FLOW));
}

const struct method flow_methods[] = {
	COMMAND(IB_USER_VERBS_EX_CMD_CREATE_FLOW, ib_uverbs_create_flow, "create_flow", create_flow),
	METHOD(UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY, "destroy_flow", destroy_flow),
	{ 0 },
};
