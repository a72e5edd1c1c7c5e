/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/flow_matcher.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "calls/call.h"
#include "objects/flow.h"

/* The tables of the NIC itself; a switch, and RDMA's own, there are not. */
static int find_table(struct call *c, bool *egress)
{
	uint32_t flags = call_value(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS);
	bool has_type = call_attr(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE);

	if (has_type && flags)
		return EINVAL;
	if (flags & ~(uint32_t)IBV_FLOW_ATTR_FLAGS_EGRESS)
		return EOPNOTSUPP;
	*egress = flags;
	if (!has_type)
		return 0;
	*egress = call_value(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE) == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX;
	return call_value(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE) > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX ?
		       EOPNOTSUPP :
		       0;
}

/* The priority lies where the type, of which only the normal one comes, has its data */
static int create_matcher(struct call *c)
{
	struct ib_uverbs_attr *mask = call_attr(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK);
	uint16_t priority = call_value(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE);
	uint32_t enable = call_value(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA) & UINT8_MAX;
	struct matcher wanted = { .priority = priority }, *m;
	int rc;

	if (!call_is_ethernet(c))
		return EOPNOTSUPP;
	if (!mask || !mask->len || mask->len > FTE_LONGEST)
		return EINVAL;
	rc = find_table(c, &wanted.egress);
	if (!rc)
		rc = fte_set_mask(wanted.mask, enable, attr_data(mask), mask->len);
	if (rc)
		return rc;
	if (priority > FLOW_LAST_PRIORITY)
		return ENOMEM;
	m = object_new(c->ctx, FLOW_MATCHER, sizeof(*m), NULL);
	if (!m)
		return ENOMEM;
	wanted.o = m->o;
	*m = wanted;
	call_put_handle(c, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, m->o.handle);
	return 0;
}

static int destroy_matcher(struct call *c)
{
	return object_destroy(call_object(c, MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE, FLOW_MATCHER));
}

const struct method flow_matcher_methods[] = {
	METHOD(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE, "create_flow_matcher",
	       create_matcher),
	METHOD(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY, "destroy_flow_matcher",
	       destroy_matcher),
	{ 0 },
};
