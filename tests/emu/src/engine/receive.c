/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/receive.h"

#include <endian.h>
#include <string.h>

#include "engine/tag_match.h"
#include "engine/wqe.h"
#include "faults/fault.h"
#include "faults/tap.h"
#include "objects/mkey.h"
#include "objects/qp.h"
#include "objects/srq.h"
#include "objects/tag_list.h"
#include "objects/wq.h"
#include "packets/answer.h"

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

static uint64_t serial_of(const struct srq *s)
{
	return s ? s->o.serial : 0;
}

static bool pop(struct qp *q, struct srq *s, struct incoming *in, const struct part *part, struct recv_wqe *w)
{
	in->app_op = TM_NOTHING;
	in->skip = 0;
	if (s && s->tags && part->data)
		return tag_pop(s, in, part, w);
	return s ? srq_pop(s, w) : rq_pop(&q->rq, w);
}

/* The next WQE, or the one that a broken message has left */
static int take_part(struct qp *q, struct srq *s, struct incoming *in, const struct part *part)
{
	const struct fault *forced;
	struct recv_wqe w;

	if (in->taken && in->srq == serial_of(s))
		return 0;
	if (!pop(q, s, in, part, &w))
		return ANSWER_RNR;
	tap_recv_wqe(q, s, &w);
	forced = fault_meet(FAULT_RECV, q);
	in->taken = true;
	in->counter = w.counter;
	in->nseg = w.nseg < MAX_RECV_SEGMENTS ? w.nseg : MAX_RECV_SEGMENTS;
	in->forced = forced ? forced->value : 0;
	in->srq = serial_of(s);
	if (w.seg != in->seg) /* where a tag's is already */
		memcpy(in->seg, w.seg, in->nseg * sizeof(*in->seg));
	return 0;
}

static int scatter(struct object *pd, const struct incoming *in, const struct part *part)
{
	uint32_t without = part->offset < in->skip ? in->skip - part->offset : 0;
	uint32_t header = without < part->len ? without : part->len;
	uint32_t skip = part->offset + header - in->skip, left = part->len - header;
	const uint8_t *data = part->data + header;

	for (const struct mlx5_wqe_data_seg *s = in->seg; s < in->seg + in->nseg && left; s++) {
		uint32_t n = be32toh(s->byte_count), key = be32toh(s->lkey), passed = skip < n ? skip : n;

		if (key == TERMINATE_KEY)
			break;
		skip -= passed;
		n -= passed;
		n = n < left ? n : left;
		if (n && mkey_write(pd, key, be64toh(s->addr) + passed, n, IBV_ACCESS_LOCAL_WRITE, data))
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
		data += n;
		left -= n;
	}
	return left ? MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR : 0;
}

/* An XRC SRQ completes on its own CQ, with its own user index */
static bool completes_on_srq(const struct srq *s)
{
	return s && s->cq;
}

static void complete(struct qp *q, struct srq *s, struct incoming *in, struct completion *c, int syndrome)
{
	in->taken = false;
	tag_complete(in, c);
	c->uidx = completes_on_srq(s) ? s->uidx : q->uidx;
	if (syndrome) {
		c->opcode = MLX5_CQE_RESP_ERR;
		c->syndrome = syndrome;
	}
	cq_push(completes_on_srq(s) ? s->cq : q->recv_cq, q->qpn, c);
}

int receive(struct qp *q, struct srq *s, struct incoming *in, const struct part *part, struct completion *c)
{
	struct object *pd = s ? s->o.pd : q->o.pd; /* an SRQ may be of another */
	int syndrome = part->first ? take_part(q, s, in, part) : 0;

	if (syndrome)
		return syndrome;
	if (!in->taken || in->srq != serial_of(s))
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR; /* the SRQ is no more */
	syndrome = in->forced ? in->forced : scatter(pd, in, part);
	if (syndrome || part->last)
		complete(q, s, in, c, syndrome);
	if (!syndrome && part->last && in->app_op == TM_CONSUMED)
		tag_fetch(q, in);
	return syndrome;
}

void receive_wq(struct wq *w, const struct part *part, struct completion *c)
{
	struct incoming in = { .taken = true };
	struct recv_wqe wqe;
	int syndrome;

	if (!rq_pop(&w->rq, &wqe))
		return;
	in.nseg = wqe.nseg < MAX_RECV_SEGMENTS ? wqe.nseg : MAX_RECV_SEGMENTS;
	memcpy(in.seg, wqe.seg, in.nseg * sizeof(*in.seg));
	c->wqe_counter = wqe.counter;
	c->uidx = w->uidx;
	syndrome = scatter(w->o.pd, &in, part);
	if (syndrome) {
		c->opcode = MLX5_CQE_RESP_ERR;
		c->syndrome = syndrome;
		w->state = IBV_WQS_ERR;
	}
	cq_push(w->cq, w->o.number, c);
}

/* A message that nothing more comes of; an XRC SRQ has a CQ of its own */
static void flush_incoming(struct qp *q, struct incoming *in)
{
	struct completion c = { 0 };

	if (in->taken && in->srq == serial_of(q->srq))
		complete(q, q->srq, in, &c, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
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
	flush_incoming(q, &q->responder.incoming);
	if (!q->srq)
		flush(&q->rq, q->recv_cq, q->qpn, q->uidx);
}

void receive_flush_wq(struct wq *w)
{
	flush(&w->rq, w->cq, w->o.number, w->uidx);
}
