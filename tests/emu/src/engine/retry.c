/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/retry.h"

#include <infiniband/mlx5dv.h>

#include "bounds.h"
#include "engine/clock.h"
#include "engine/window.h"
#include "objects/qp.h"
#include "packets/message.h"

#define US 1000ull /* ns */
#define RNR_RETRY_FOR_EVER 7
#define TIMEOUT_FOR_EVER 0

/* Between attempts: no finer than the engine's naps, nor so long that tests get tedious */
#define SHORTEST (NS_PER_MS / 100)
#define LONGEST (500 * NS_PER_MS)

/* The encoding of RNR NAK timers, in units of 10 us */
static const uint16_t rnr_timers[32] = {
	65535, 1,   2,	 3,   4,    6,	  8,	12,   16,   24,	  32,	48,    64,    96,    128,   192,
	256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static uint64_t within_reason(uint64_t ns)
{
	if (ns < SHORTEST)
		return SHORTEST;
	return ns < LONGEST ? ns : LONGEST;
}

/* 4.096 us * 2^timeout */
static uint64_t ack_timeout(const struct qp *q)
{
	return within_reason(4096ull << q->attr.timeout);
}

void retry_hold(struct qp *q, uint64_t ns)
{
	q->retry.hold = clock_now() + ns;
}

bool retry_is_holding(struct qp *q)
{
	if (q->retry.hold && clock_now() >= q->retry.hold)
		q->retry.hold = 0;
	return q->retry.hold;
}

void retry_progress(struct qp *q)
{
	q->retry.tries = q->retry.rnr = 0;
	q->retry.timer = 0;
}

/* The packets go out again, which is one of the attempts that the program allows */
static int again(struct qp *q)
{
	q->retry.lost = false;
	q->retry.timer = 0;
	return q->retry.tries++ == q->attr.retry_cnt ? MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR : 0;
}

int retry_sequence(struct qp *q)
{
	return again(q);
}

int retry_rnr(struct qp *q, uint8_t timer)
{
	bool for_ever = q->attr.rnr_retry == RNR_RETRY_FOR_EVER;

	q->retry.tries = 0;
	if (!for_ever && q->retry.rnr++ == q->attr.rnr_retry)
		return MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR;
	retry_hold(q, within_reason(rnr_timers[timer % ARRAY_SIZE(rnr_timers)] * 10 * US));
	return 0;
}

void retry_after_death(void)
{
	struct qp *q;

	LIST_FOREACH(q, &qp_list, link)
	{
		q->retry.lost |= window_is_waiting(q);
	}
}

/* A process that is alive but slow is waited for: a device would have answered all the same */
static bool is_lost(const struct qp *q, const struct flight *f)
{
	return q->retry.lost || (!packet_is_here(&f->p) && !message_probe(&f->p));
}

static void expire(struct qp *q)
{
	struct flight *f = TAILQ_FIRST(&q->window.flights);

	q->retry.timer = 0;
	if (!is_lost(q, f))
		return;
	f->syndrome = again(q);
	window_rewind(q, f->psn + f->acked);
}

void retry_check(struct qp *q)
{
	uint64_t now;

	if (q->attr.timeout == TIMEOUT_FOR_EVER || !window_is_waiting(q))
		return;
	now = clock_now();
	if (!q->retry.timer)
		q->retry.timer = now + ack_timeout(q);
	else if (now >= q->retry.timer)
		expire(q);
}
