/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MLX5_STEERING_H
#define VERBSX_MLX5_STEERING_H

/**
 * @file
 * What rules of mlx5 take lists of: what is to be done with a packet, or where copies of it go.
 *
 *	const struct vx_mlx5_flow_action actions[] = {
 *		{ .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 42 },
 *		{ .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = qp },
 *	};
 *
 *	vx_mlx5_flow_create(matcher, &(struct vx_mlx5_flow_init){ .match_value = &value, .actions = actions, .num_actions = 2 }, &flow);
 *
 * What an element has beside what is of its type is refused, so that a wrong type does nothing that was not meant.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vx_counters;
struct vx_flow_action;
struct vx_mlx5_devx_obj;
struct vx_mlx5_dr_action;
struct vx_qp;

/** What a flow of mlx5 does with a packet. */
struct vx_mlx5_flow_action {
	uint32_t type;			/**< of enum mlx5dv_flow_action_type */
	uint32_t tag_value;		/**< of MLX5DV_FLOW_ACTION_TAG: what completions have */
	struct vx_qp *qp;		/**< of MLX5DV_FLOW_ACTION_DEST_IBV_QP: who gets it */
	struct vx_counters *counter;	/**< of MLX5DV_FLOW_ACTION_IBV_COUNTER */
	struct vx_flow_action *action;	/**< of MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION: how it is changed */
	struct vx_mlx5_devx_obj *obj;	/**< of MLX5DV_FLOW_ACTION_DEST_DEVX, a TIR or a flow table, and of those that count by a flow counter */
	uint32_t offset;		/**< of MLX5DV_FLOW_ACTION_COUNTERS_DEVX_WITH_OFFSET: which counter of obj */
	uint32_t reserved;		/**< zero */
};

/** Where a copy of a packet goes. */
struct vx_mlx5_dr_action_dest {
	uint32_t type;			/**< of enum mlx5dv_dr_action_dest_type */
	uint32_t reserved;		/**< zero */
	struct vx_mlx5_dr_action *dest;	/**< an action that leads to a table, a QP, a TIR or a port */
	struct vx_mlx5_dr_action *reformat; /**< of MLX5DV_DR_ACTION_DEST_REFORMAT: how the copy is changed before */
};

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MLX5_STEERING_H */
