/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Answers at the requester. */
#include "packets/answer.h"

#include <infiniband/mlx5dv.h>

#include "engine/window.h"
#include "faults/wire.h"
#include "objects/qp.h"

void answer_each(const struct answer *a, void (*fn)(const struct answer *packet, void *arg), void *arg)
{
	struct answer packet = *a;
	uint32_t done = 0;

	do {
		uint32_t left = a->len - done;

		packet.len = left < a->mtu ? left : a->mtu;
		packet.data = a->data + done;
		fn(&packet, arg);
		packet.psn++;
		done += packet.len;
	} while (done < a->len);
}

/* Something is missing, which shows only when the time is over */
static void miss(struct qp *q)
{
	q->retry.lost = true;
}

/* It is as long as the requester's MTU makes it: only one packet's may be shorter, an atomic's */
static bool has_length(const struct flight *f, uint32_t n, uint32_t len)
{
	uint32_t left = f->p.len - n * f->p.mtu;

	return f->packets == 1 ? len <= left : len == (left < f->p.mtu ? left : f->p.mtu);
}

static void take_response(struct qp *q, const struct answer *a)
{
	struct flight *f = window_find(q, a->psn);
	uint32_t n = f ? a->psn - f->psn : 0;

	if (!f || !f->answered || n < f->acked || f->syndrome)
		return;
	if (!window_acknowledge(q, f->psn - 1) || n > f->acked) {
		miss(q);
		return;
	}
	if (!has_length(f, n, a->len))
		f->syndrome = MLX5_CQE_SYNDROME_BAD_RESP_ERR;
	else
		f->syndrome = wqe_scatter_response(q, &f->wqe, n * f->p.mtu, a->data, a->len);
	if (f->packets == 1)
		f->wqe.len = a->len;
	f->acked++;
	retry_progress(q);
}

static void take_nak(struct qp *q, const struct answer *a)
{
	struct flight *f = window_find(q, a->psn);
	uint32_t n = f ? a->psn - f->psn : 0;

	if (!window_acknowledge(q, a->psn - 1) || !f || n < f->acked || n >= f->sent) {
		miss(q);
		return;
	}
	if (a->result > 0) {
		f->syndrome = a->result;
		return;
	}
	window_rewind(q, a->psn);
	f->syndrome = a->result == ANSWER_RNR ? retry_rnr(q, a->rnr_timer) : retry_sequence(q);
}

static void take_packet(const struct answer *a, void *arg)
{
	struct qp *q = arg;

	if (!wire_back(q, a))
		miss(q);
	else if (a->result)
		take_nak(q, a);
	else if (a->response)
		take_response(q, a);
	else if (!window_acknowledge(q, a->psn))
		miss(q);
}

void answer_take(struct qp *q, const struct answer *a)
{
	if (!qp_is_reliable(q) || a->result == ANSWER_NONE)
		return;
	if (a->result == ANSWER_DROPPED)
		miss(q);
	else
		answer_each(a, take_packet, q);
}
