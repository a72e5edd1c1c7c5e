/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "matchers.h"

void put_bytes(struct parameters *p, size_t byte, const char *bytes, size_t n)
{
	p->match_sz = PARAMETERS;
	memcpy((char *)p->match_buf + byte, bytes, n);
}

struct mlx5dv_flow_matcher *try_matcher(struct parameters *mask, uint8_t enable, uint16_t priority, uint32_t flags)
{
	struct mlx5dv_flow_matcher_attr a = { .type = IBV_FLOW_ATTR_NORMAL,
					      .flags = flags,
					      .priority = priority,
					      .match_criteria_enable = enable,
					      .match_mask = (void *)mask };

	mask->match_sz = PARAMETERS;
	return mlx5dv_create_flow_matcher(bed.ctx, &a);
}

struct mlx5dv_flow_matcher *make_matcher(struct parameters *mask, uint8_t enable, uint16_t priority)
{
	struct mlx5dv_flow_matcher *m = try_matcher(mask, enable, priority, 0);

	CHECK(m);
	return m;
}

struct ibv_flow *make_flow(struct mlx5dv_flow_matcher *m, struct parameters *value, size_t n, struct mlx5dv_flow_action_attr *actions)
{
	struct ibv_flow *f;

	value->match_sz = PARAMETERS;
	f = mlx5dv_create_flow(m, (void *)value, n, actions);
	CHECK(f);
	return f;
}

struct mlx5dv_flow_action_attr to_receiver(struct receiver *r)
{
	return (struct mlx5dv_flow_action_attr){ .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = r->qp };
}

void end_flow(struct ibv_flow *f, struct mlx5dv_flow_matcher *m)
{
	CHECK(!ibv_destroy_flow(f) && !mlx5dv_destroy_flow_matcher(m));
}

__be64 change_of(uint32_t type, uint32_t field, uint32_t data)
{
	return htobe64((uint64_t)(type << 28 | field << 16) << 32 | data);
}
