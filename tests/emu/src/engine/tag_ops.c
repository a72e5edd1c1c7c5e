/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/tag_ops.h"

#include <endian.h>

#include "objects/qp.h"
#include "objects/srq.h"
#include "objects/tag_list.h"

/* In the upper half of its byte */
enum {
	OP_NOP,
	OP_APPEND,
	OP_REMOVE
};
#define OP_SHIFT 4

enum {
	FLAG_SW_CNT = 1 << 6,
	FLAG_CQE_REQ = 1 << 7
};

/* Offsets in the WQE: what to do, and the buffer of a tag */
enum {
	OPERATION = SEGMENT,
	BUFFER = OPERATION + sizeof(struct mlx5_wqe_tm_seg),
	END = BUFFER + SEGMENT
};

static bool append(struct tag_list *l, const struct mlx5_wqe_tm_seg *op, const struct mlx5_wqe_data_seg *buffer)
{
	return tag_list_append(l, be64toh(op->append_tag), be64toh(op->append_mask), buffer, be16toh(op->index));
}

/* Its completion is one of the SRQ, without a packet */
static void complete(const struct qp *q, uint8_t app_op, bool success)
{
	const struct srq *s = q->srq;
	struct completion c = {
		.opcode = MLX5_CQE_NO_PACKET,
		.uidx = s->uidx,
		.app_op = app_op,
		.tm = { .op = { .success = htobe32(success ? MLX5_TMC_SUCCESS : 0),
				.hw_phase_cnt = htobe16(s->tags->unexpected) } },
	};

	cq_push(s->cq, q->qpn, &c);
}

int local_tag_matching(struct qp *q, struct send_wqe *w)
{
	static const uint8_t app_ops[] = { [OP_NOP] = TM_NOOP, [OP_APPEND] = TM_APPEND, [OP_REMOVE] = TM_REMOVE };
	const struct mlx5_wqe_tm_seg *op = (const void *)(w->raw + OPERATION);
	struct tag_list *l = q->srq ? q->srq->tags : NULL;
	uint8_t what = op->opcode >> OP_SHIFT;
	bool success = true;

	if (!l || what > OP_REMOVE || w->ds * SEGMENT < (what == OP_APPEND ? END : BUFFER))
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (op->flags & FLAG_SW_CNT)
		tag_list_sync(l, be16toh(op->sw_cnt));
	if (what == OP_APPEND && !append(l, op, (const void *)(w->raw + BUFFER)))
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (what == OP_REMOVE)
		success = tag_list_remove(l, be16toh(op->index));
	if (op->flags & FLAG_CQE_REQ)
		complete(q, app_ops[what], success);
	return 0;
}
