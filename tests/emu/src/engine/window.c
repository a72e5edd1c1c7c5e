/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/window.h"

#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/opcode.h"
#include "engine/rendezvous.h"
#include "objects/qp.h"

/* How much may be under way at once; one message always may */
#define MAX_FLIGHTS 64
#define MAX_BYTES (1u << 20)

/* Fence modes, in the upper bits of fm_ce_se: from this one on they wait for reads */
#define FENCE_SHIFT 5
#define FENCE_READS 2

void window_init(struct qp *q)
{
	static uint32_t last_session;

	TAILQ_INIT(&q->window.flights);
	q->window.session = ++last_session;
}

static bool is_fenced(const struct mlx5_wqe_ctrl_seg *ctrl)
{
	return ctrl->fm_ce_se >> FENCE_SHIFT >= FENCE_READS;
}

/* mlx5's driver leaves the logarithm of a limit of none at 0: requests go one after the other */
static uint32_t max_reads(const struct qp *q)
{
	return q->attr.max_rd_atomic ? q->attr.max_rd_atomic : 1;
}

bool window_admits(const struct qp *q, const struct mlx5_wqe_ctrl_seg *ctrl)
{
	const struct opcode *op = opcode_find((uint8_t)be32toh(ctrl->opmod_idx_opcode));
	const struct window *w = &q->window;

	if (TAILQ_EMPTY(&w->flights))
		return true;
	/* A DCI has one responder at a time */
	if (!op || op->local || q->dci || TAILQ_LAST(&w->flights, flights)->syndrome)
		return false;
	if (w->count >= MAX_FLIGHTS || w->bytes >= MAX_BYTES || (is_fenced(ctrl) && w->reads))
		return false;
	return !op->answered || w->reads < max_reads(q);
}

static struct flight *take_wqe(struct qp *q, const struct work_queue *from, const uint8_t *at)
{
	struct flight *f = malloc(sizeof(*f));

	if (!f)
		return NULL;
	memset(f, 0, offsetof(struct flight, wqe));
	f->psn = q->psn;
	f->corrupt = NOT_CORRUPT;
	wqe_load(&f->wqe, from, at);
	TAILQ_INSERT_TAIL(&q->window.flights, f, link);
	q->window.count++;
	return f;
}

struct flight *window_take(struct qp *q, const uint8_t *at)
{
	struct flight *f = take_wqe(q, &q->sq, at);

	if (f)
		q->sq.ci += f->wqe.wqebbs;
	return f;
}

struct flight *window_take_own(struct qp *q, uint8_t *block)
{
	const struct work_queue one = { .buf = block, .count = 1, .shift = LOG_WQEBB };

	return take_wqe(q, &one, block);
}

void window_add(struct qp *q, struct flight *f)
{
	f->answered = opcode_find(f->p.opcode)->answered;
	f->packets = packet_count(f->p.len, f->p.mtu);
	f->p.psn = f->psn;
	q->psn += f->packets;
	q->window.bytes += f->p.len;
	q->window.reads += f->answered;
}

bool flight_is_done(const struct flight *f)
{
	return f->syndrome || f->acked == f->packets;
}

void window_drop(struct qp *q, struct flight *f)
{
	TAILQ_REMOVE(&q->window.flights, f, link);
	q->window.count--;
	q->window.bytes -= f->p.len;
	q->window.reads -= f->answered;
	free(f->wqe.data);
	free(f->rendezvous);
	free(f);
}

void window_clear(struct qp *q)
{
	while (!TAILQ_EMPTY(&q->window.flights))
		window_drop(q, TAILQ_FIRST(&q->window.flights));
	rendezvous_clear(q);
}

struct flight *window_unsent(const struct qp *q)
{
	struct flight *f;

	TAILQ_FOREACH(f, &q->window.flights, link)
	{
		if (f->syndrome)
			return NULL; /* nothing after it goes out */
		if (f->sent < f->packets)
			return f;
	}
	return NULL;
}

/* How far @psn is into a request; negative: before it */
static int32_t into(const struct flight *f, uint32_t psn)
{
	return (int32_t)(psn - f->psn);
}

struct flight *window_find(const struct qp *q, uint32_t psn)
{
	struct flight *f;

	TAILQ_FOREACH(f, &q->window.flights, link)
	{
		if (into(f, psn) >= 0 && into(f, psn) < (int32_t)f->packets)
			return f;
	}
	return NULL;
}

bool window_is_waiting(const struct qp *q)
{
	const struct flight *f = TAILQ_FIRST(&q->window.flights);

	return f && !f->syndrome && f->acked < f->sent;
}

bool window_acknowledge(struct qp *q, uint32_t psn)
{
	struct flight *f;

	TAILQ_FOREACH(f, &q->window.flights, link)
	{
		uint32_t n = into(f, psn) + 1;

		if (into(f, psn) < 0)
			break;
		if (f->answered && f->acked < f->packets)
			return false;
		n = n < f->most ? n : f->most;
		if (n <= f->acked)
			continue;
		f->acked = n;
		if (f->sent < n)
			f->sent = n;
		retry_progress(q);
	}
	return true;
}

void flight_sent(struct flight *f, uint32_t to)
{
	f->sent = to;
	if (f->most < to)
		f->most = to;
}

/* With the data as they were */
static void rewind_one(struct flight *f, uint32_t to)
{
	f->sent = f->met = to;
	f->p.again = true;
	if (f->corrupt == NOT_CORRUPT || f->corrupt < to)
		return;
	f->wqe.data[(size_t)f->corrupt * f->p.mtu] ^= 1;
	f->corrupt = NOT_CORRUPT;
}

void window_rewind(struct qp *q, uint32_t psn)
{
	struct flight *f;

	TAILQ_FOREACH(f, &q->window.flights, link)
	{
		int32_t to = into(f, psn);

		if (to < (int32_t)f->acked)
			to = f->acked;
		if (f->sent > (uint32_t)to)
			rewind_one(f, to);
	}
}
