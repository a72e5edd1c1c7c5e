/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What each opcode of a WQE does. */
#ifndef EMU_OPCODE_H
#define EMU_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/wqe.h"
#include "packets/request.h"

/* Not in every mlx5dv.h that we support */
enum {
	OPCODE_SET_PSV = 0x20,
	OPCODE_MMO = 0x2f
};

enum {
	SEGMENT_RADDR = 1,
	SEGMENT_ATOMIC = 2
};

struct opcode {
	uint8_t segments; /* those before the data */
	bool sends_data; /* gathered before it leaves */
	bool datagram; /* allowed on a UD QP */
	bool answered; /* with data: not over an unreliable service */
	bool has_imm; /* immediate data, or a key to invalidate */
	uint8_t recv_opcode; /* MLX5_CQE_RESP_... of the responder's completion */
	/* One of the two: done by the QP itself, or by the QP at the other end */
	local_fn *local;
	respond_fn *respond;
};

/* NULL where it is none that the device knows. */
const struct opcode *opcode_find(uint8_t opcode);

/* As mlx5dv.h calls it; "unknown" where it does not. */
const char *opcode_name(uint8_t opcode);

#endif
