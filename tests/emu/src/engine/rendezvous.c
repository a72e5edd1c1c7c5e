/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/rendezvous.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wqe.h"
#include "objects/qp.h"
#include "objects/srq.h"
#include "objects/tag_list.h"

struct read_wqe {
	struct mlx5_wqe_ctrl_seg ctrl;
	struct mlx5_wqe_raddr_seg from;
	struct mlx5_wqe_data_seg to;
};

struct fin_wqe {
	struct mlx5_wqe_ctrl_seg ctrl;
	__be32 inline_size;
	uint8_t head[sizeof(struct ibv_tmh)]; /* which begins where no 64 bits do */
	uint8_t padding[12];
};

_Static_assert(sizeof(struct read_wqe) <= WQEBB && sizeof(struct fin_wqe) <= WQEBB, "a block has room");

void rendezvous_add(struct qp *q, const struct rendezvous *r)
{
	struct rendezvous *copy = malloc(sizeof(*copy));

	if (!copy)
		return;
	*copy = *r;
	STAILQ_INSERT_TAIL(&q->rendezvous, copy, link);
}

static struct mlx5_wqe_ctrl_seg control(const struct qp *q, uint8_t opcode, size_t size)
{
	return (struct mlx5_wqe_ctrl_seg){ .opmod_idx_opcode = htobe32(opcode),
					   .qpn_ds = htobe32(q->qpn << 8 | size / SEGMENT) };
}

static void put_read(struct read_wqe *w, const struct qp *q, const struct rendezvous *r)
{
	w->ctrl = control(q, MLX5_OPCODE_RDMA_READ, sizeof(*w));
	w->from = (struct mlx5_wqe_raddr_seg){ .raddr = r->where.va, .rkey = r->where.rkey };
	w->to = r->buffer;
	w->to.byte_count = r->where.len;
}

/* The sender knows its message by what it has put into the header for itself */
static void put_fin(struct fin_wqe *w, const struct qp *q, const struct rendezvous *r)
{
	const struct ibv_tmh h = { .opcode = IBV_TMH_FIN, .app_ctx = r->head.app_ctx, .tag = r->head.tag };

	w->ctrl = control(q, MLX5_OPCODE_SEND, sizeof(*w));
	w->inline_size = htobe32(MLX5_INLINE_SEG | sizeof(h));
	memcpy(w->head, &h, sizeof(h));
}

struct rendezvous *rendezvous_next(const struct qp *q, void *block)
{
	struct rendezvous *r = STAILQ_FIRST(&q->rendezvous);

	if (!r)
		return NULL;
	memset(block, 0, WQEBB);
	if (r->is_read)
		put_fin(block, q, r);
	else
		put_read(block, q, r);
	return r;
}

void rendezvous_take(struct qp *q, struct rendezvous *r)
{
	STAILQ_REMOVE(&q->rendezvous, r, rendezvous, link);
}

static void complete(const struct qp *q, const struct rendezvous *r, uint8_t app_op)
{
	struct completion c = {
		.opcode = MLX5_CQE_RESP_SEND,
		.uidx = q->srq->uidx,
		.app_op = app_op,
		.app_info = r->index,
		.byte_count = be32toh(r->where.len),
	};

	cq_push(q->srq->cq, q->qpn, &c);
}

void rendezvous_done(struct qp *q, struct rendezvous *r, int syndrome)
{
	if (!r->is_read)
		complete(q, r, syndrome ? TM_MSG_COMPLETION_CANCELED : TM_EXPECTED);
	if (r->is_read || syndrome) {
		free(r);
		return;
	}
	r->is_read = true;
	STAILQ_INSERT_HEAD(&q->rendezvous, r, link);
}

void rendezvous_clear(struct qp *q)
{
	struct rendezvous *r;

	while ((r = STAILQ_FIRST(&q->rendezvous))) {
		STAILQ_REMOVE_HEAD(&q->rendezvous, link);
		free(r);
	}
}
