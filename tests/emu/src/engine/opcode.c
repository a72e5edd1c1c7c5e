/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/opcode.h"

#include <infiniband/mlx5dv.h>

#include "bounds.h"
#include "engine/local.h"
#include "engine/tag_ops.h"
#include "packets/respond.h"
#include "src/mlx5_words.h"

static const struct opcode opcodes[] = {
	[MLX5_OPCODE_NOP] = { .local = local_nop },
	[OPCODE_SET_PSV] = { .local = local_nop },
	[MLX5_OPCODE_TAG_MATCHING] = { .local = local_tag_matching },
	[MLX5_OPCODE_UMR] = { .local = local_umr },
	[OPCODE_MMO] = { .local = local_mmo },
	[MLX5_OPCODE_SEND] = { .sends_data = true,
			       .datagram = true,
			       .recv_opcode = MLX5_CQE_RESP_SEND,
			       .respond = respond_send },
	[MLX5_OPCODE_SEND_IMM] = { .sends_data = true,
				   .datagram = true,
				   .has_imm = true,
				   .recv_opcode = MLX5_CQE_RESP_SEND_IMM,
				   .respond = respond_send },
	[MLX5_OPCODE_SEND_INVAL] = { .sends_data = true,
				     .has_imm = true,
				     .recv_opcode = MLX5_CQE_RESP_SEND_INV,
				     .respond = respond_send_inval },
	[MLX5_OPCODE_RDMA_WRITE] = { .segments = SEGMENT_RADDR,
				     .sends_data = true,
				     .respond = respond_write },
	[MLX5_OPCODE_RDMA_WRITE_IMM] = { .segments = SEGMENT_RADDR,
					 .sends_data = true,
					 .has_imm = true,
					 .recv_opcode = MLX5_CQE_RESP_WR_IMM,
					 .respond = respond_write_imm },
	[MLX5_OPCODE_RDMA_READ] = { .segments = SEGMENT_RADDR,
				    .answered = true,
				    .respond = respond_read },
	[MLX5_OPCODE_ATOMIC_CS] = { .segments = SEGMENT_RADDR | SEGMENT_ATOMIC,
				    .answered = true,
				    .respond = respond_atomic },
	[MLX5_OPCODE_ATOMIC_FA] = { .segments = SEGMENT_RADDR | SEGMENT_ATOMIC,
				    .answered = true,
				    .respond = respond_atomic },
};

const struct opcode *opcode_find(uint8_t opcode)
{
	const struct opcode *op = opcode < ARRAY_SIZE(opcodes) ? &opcodes[opcode] : NULL;

	return op && (op->local || op->respond) ? op : NULL;
}

#define CASE(value, word) \
	case value:       \
		return word;

const char *opcode_name(uint8_t opcode)
{
	switch (opcode) {
		VX_WORDS_OF_MLX5_OPCODE(CASE)
	}
	return "unknown";
}
