/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MLX5_PRM_H
#define VERBSX_SRC_MLX5_PRM_H

/* What the Programmer's Reference Manual of mlx5 devices has and no header: the tables of generated/src/mlx5_prm.c. */

#include <stdint.h>

#include <infiniband/verbs.h>

extern const uint16_t vx_mlx5_command_code;	/* of vx_codes: opcodes */
extern const uint16_t vx_mlx5_status_code;	/* what a device answers */

/* A vendor_err of completions, and the status that it was seen with. */
struct vx_mlx5_vendor_err {
	uint8_t code, status;
};

extern const struct vx_mlx5_vendor_err vx_mlx5_vendor_errs[];
extern const uint8_t vx_mlx5_vendor_err_count;

#endif
