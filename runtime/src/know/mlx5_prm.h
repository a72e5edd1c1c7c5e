/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MLX5_PRM_H
#define VERBSX_SRC_MLX5_PRM_H

/* What the Programmer's Reference Manual of mlx5 devices has and no header: the tables of generated/src/mlx5_prm.c. */

#include <stdbool.h>
#include <stdint.h>

extern const uint16_t vx_mlx5_command_code;	/* of vx_codes: opcodes */
extern const uint16_t vx_mlx5_status_code;	/* what a device answers */

/* What rules match: parts of so many bytes, the first and the third of them of outer and of inner headers. */
#define VX_MLX5_PART 64
#define VX_MLX5_PARTS 7

/* What of it a matcher looks at. */
struct vx_mlx5_mask {
	uint8_t bits[VX_MLX5_PARTS * VX_MLX5_PART];
};

/* A field of a mailbox, or a layout that lies there. Their names are in vx_texts, which are packed. */
struct vx_prm_part {
	uint32_t offset : 16;
	uint32_t width : 8;	/* of a layout its index */
	uint32_t nested : 1;
};

/* Parts follow each other in the order of layouts, of which the first two are what all mailboxes begin with. */
struct vx_prm_layout {
	uint16_t opcode;	/* 0: that of no mailbox */
	uint16_t size;		/* in bytes; 0: of no mailbox */
	uint16_t least;		/* what it may have of them */
	uint8_t parts;
	uint8_t answer;
	uint8_t op_mod, op_mods; /* for so many values of op_mod, from that on; 0: for all */
};

enum { VX_PRM_IN, VX_PRM_OUT };

extern const struct vx_prm_part vx_prm_parts[];
extern const struct vx_prm_layout vx_prm_layouts[];
extern const uint8_t vx_prm_layout_count;

/* What is done with each field of a layout that its path is of: "primary.rlid". @return whether to go on */
typedef bool (*vx_prm_visit)(void *data, const char *path, unsigned int offset, unsigned int width);

#define VX_PRM_PATH 80 /* room for a path */

bool vx_prm_walk(const struct vx_prm_layout *layout, vx_prm_visit each, void *data);

/* What follows the control segment of a WQE: structures by their index in vx_structs, layouts by theirs in vx_wqe_layouts, and what is neither. */
enum { VX_WQE_NONE, VX_WQE_ADDRESS, VX_WQE_DATA, VX_WQE_ENTRIES, VX_WQE_BSF, VX_WQE_LAYOUT, VX_WQE_STRUCT = 32 };

struct vx_wqe_row {
	uint8_t opcode;
	uint16_t segments[4];
};

extern const struct vx_wqe_row vx_wqe_rows[];
extern const uint8_t vx_wqe_row_count;
extern const uint8_t vx_wqe_layouts[];
extern const char vx_wqe_layout_names[];
extern const uint8_t vx_wqe_bsfs[2]; /* of signatures, of encryption: by their type */

/* A vendor_err of completions, and the status that it was seen with. */
struct vx_mlx5_vendor_err {
	uint8_t code, status;
};

extern const struct vx_mlx5_vendor_err vx_mlx5_vendor_errs[];
extern const uint8_t vx_mlx5_vendor_err_count;

#endif
