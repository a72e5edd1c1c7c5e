/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "receive.h"

#include <endian.h>

#include "fault.h"
#include "mkey.h"
#include "qp.h"
#include "srq.h"
#include "tap.h"
#include "wq.h"
#include "wqe.h"

static bool rq_pop(struct work_queue *rq, struct recv_wqe *w)
{
	uint8_t *wqe = work_queue_next(rq);

	if (!wqe)
		return false;
	w->counter = rq->ci++;
	w->seg = (struct mlx5_wqe_data_seg *)wqe;
	w->nseg = (1 << rq->shift) / SEGMENT;
	return true;
}

static int scatter(struct object *pd, const struct recv_wqe *w, const uint8_t *data, uint32_t len)
{
	const struct mlx5_wqe_data_seg *end = w->seg + w->nseg;

	for (const struct mlx5_wqe_data_seg *s = w->seg; s < end && len; s++) {
		uint32_t n = be32toh(s->byte_count), key = be32toh(s->lkey);

		if (key == TERMINATE_KEY)
			break;
		n = n < len ? n : len;
		if (mkey_write(pd, key, be64toh(s->addr), n, IBV_ACCESS_LOCAL_WRITE, data))
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
		data += n;
		len -= n;
	}
	return len ? MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR : 0;
}

/* An XRC SRQ completes on its own CQ, with its own user index */
static bool completes_on_srq(const struct srq *s)
{
	return s && s->cq;
}

int receive(struct qp *q, struct srq *s, const uint8_t *data, uint32_t len, struct completion *c)
{
	struct object *pd = s ? s->o.pd : q->o.pd; /* an SRQ may be of another */
	const struct fault *forced;
	struct recv_wqe w;
	int syndrome;

	if (!(s ? srq_pop(s, &w) : rq_pop(&q->rq, &w)))
		return STALL_RNR;
	tap_recv_wqe(q, s, &w);
	c->wqe_counter = w.counter;
	c->uidx = completes_on_srq(s) ? s->uidx : q->uidx;
	forced = fault_meet(FAULT_RECV, q);
	syndrome = forced ? forced->value : scatter(pd, &w, data, len);
	if (syndrome) {
		c->opcode = MLX5_CQE_RESP_ERR;
		c->syndrome = syndrome;
	}
	cq_push(completes_on_srq(s) ? s->cq : q->recv_cq, q->qpn, c);
	return syndrome;
}

static void flush(struct work_queue *rq, struct cq *cq, uint32_t number, uint32_t uidx)
{
	struct completion c = { .opcode = MLX5_CQE_RESP_ERR,
				.uidx = uidx,
				.syndrome = MLX5_CQE_SYNDROME_WR_FLUSH_ERR };
	struct recv_wqe w;

	while (rq_pop(rq, &w)) {
		c.wqe_counter = w.counter;
		cq_push(cq, number, &c);
	}
}

void receive_flush(struct qp *q)
{
	if (!q->srq)
		flush(&q->rq, q->recv_cq, q->qpn, q->uidx);
}

void receive_flush_wq(struct wq *w)
{
	flush(&w->rq, w->cq, w->o.handle, w->uidx);
}
