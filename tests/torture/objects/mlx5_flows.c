/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Flows of mlx5 and their actions. They are made on the other context: on that of the stage, flows end in lacking.c, which stands in
 * the provider's place, and libmlx5 would hear of the end of none that it has made.
 */

#include <endian.h>

#include <infiniband/mlx5dv.h>
#include <verbsx/config.h>
#include <verbsx/mlx5.h>
#include <verbsx/objects.h>

#include "torture.h"

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint64_t bits[8];
} match = { .parameters = { .match_sz = sizeof(match.bits) } };

static struct vx_mlx5_flow_matcher *matcher;

static int open_other(void)
{
	return vx_ctx_open_index(0, &stage.other);
}

static int need_matcher(void)
{
	const struct vx_mlx5_flow_matcher_init init = { .match_mask = &match.parameters };
	const int rc = open_other();

	return rc ? rc : vx_mlx5_flow_matcher_create(stage.other, &init, &matcher);
}

static int make_flow_that_drops(void)
{
	const struct vx_mlx5_flow_action drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	const struct vx_mlx5_flow_init init = { .match_value = &match.parameters, .num_actions = 1, .actions = &drop };

	return vx_mlx5_flow_create(matcher, &init, &made.flow);
}

static int need_flow(void)
{
	const int rc = need_matcher();

	return rc ? rc : make_flow_that_drops();
}

static int make_header_change_of_flows(void)
{
	uint64_t change = htobe64((1ull << 60) | (0xcull << 48) | 4000);
	const struct vx_mlx5_modify_header_init init = { .actions_sz = sizeof(change), .actions = &change };

	return vx_mlx5_modify_header_create(stage.other, &init, &made.flow_action);
}

static int make_decapsulation_of_flows(void)
{
	const struct vx_mlx5_packet_reformat_init init = { .reformat_type = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2 };

	return vx_mlx5_packet_reformat_create(stage.other, &init, &made.flow_action);
}

/* How the headers have it is what programs call; the loader has the function behind it, which takes the size of an action too. */
#define SIZED_FLOW { "mlx5dv_create_flow", VX_RDMA_CORE < 63 ? "mlx5dv_create_flow" : "__mlx5dv_create_flow", BY_NULL, NULL }

const struct method mlx5_flows[] = {
	{ "making a flow of mlx5", need_matcher, make_flow_that_drops, SIZED_FLOW },
	{ "closing a flow of mlx5", need_flow, stage_close_made, INLINE(ibv_destroy_flow) },
	{ "making a flow action that changes headers", open_other, make_header_change_of_flows, NAMED(mlx5dv_create_flow_action_modify_header, BY_NULL) },
	{ "making a flow action that takes headers off", open_other, make_decapsulation_of_flows, NAMED(mlx5dv_create_flow_action_packet_reformat, BY_NULL) },
	{ 0 },
};
