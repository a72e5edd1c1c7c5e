/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_BY_HAND_H
#define VERBSX_SRC_REASON_BY_HAND_H

/*
 * What no table can say of a call that has failed: gen/lore/limits.toml names these functions under [explain]. Each adds to
 * the reason what it finds.
 */

#include "reason/reason.h"

/* The change itself: the QP cannot take it from the state that it is in, or lacks what it needs. */
void vx_explain_qp_change(struct vx_failure *failure);
void vx_explain_wq_change(struct vx_failure *failure);

/* Where a path is to begin: the port's GIDs and P_Keys. */
void vx_explain_qp_path(struct vx_failure *failure);
void vx_explain_ah_path(struct vx_failure *failure);

/* The GID of a path is not set, or of another kind than the peer's. "path" is how the sentence begins: "ah_attr.", or "". */
void vx_reason_of_gid(struct vx_failure *failure, uint8_t port, const char *path, const struct ibv_ah_attr *attr);

/* An SRQ that is for QPs of another type. */
void vx_explain_qp_srq(struct vx_failure *failure);

/* A message that cannot be answered; a descriptor of no device. */
void vx_explain_answer(struct vx_failure *failure);
void vx_explain_descriptor(struct vx_failure *failure);

/** "CREATE_CQ (0x400)", for printf(3): in memory of the block that asks for it. */
#define VX_MLX5_COMMAND(opcode) vx_mlx5_command_in((char[VX_LONGEST_COMMAND]){ "" }, opcode)
#define VX_LONGEST_COMMAND 80
const char *vx_mlx5_command_in(char *buf, uint32_t opcode);

/* Of the mailbox of a command or an answer a field that all of them have; 0 where it ends before that. */
uint32_t vx_mlx5_common(const void *mailbox, size_t len, uint32_t field);

/* What the device answers to a command of DEVX, or that it was not asked. */
void vx_explain_mlx5_command(struct vx_failure *failure);

/* Why a device does not take what rules are to match, and a rule: what it matches beside the mask, and what its actions are. */
void vx_explain_mlx5_matcher(struct vx_failure *failure);
void vx_explain_mlx5_rule(struct vx_failure *failure);

/* What only such a device has: what it is asked for is all that reasons look at. @return an errno */
struct mlx5dv_context;
int vx_ask_mlx5_device(struct ibv_context *context, struct mlx5dv_context *out);

void vx_explain_window(struct vx_failure *failure);
void vx_explain_flow(struct vx_failure *failure);
void vx_explain_memory(struct vx_failure *failure);

#endif
