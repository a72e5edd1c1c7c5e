/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "retry.h"

#include <infiniband/mlx5dv.h>

#include "clock.h"
#include "limits.h"
#include "qp.h"
#include "request.h"

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

/* 4.096 us * 2^timeout; without a timeout nothing would ever be sent again */
static uint64_t ack_timeout(const struct qp *q)
{
	return within_reason(4096ull << q->attr.timeout);
}

static uint64_t rnr_timeout(const struct qp *q)
{
	return within_reason(rnr_timers[q->retry.rnr_timer % ARRAY_SIZE(rnr_timers)] * 10 * US);
}

void retry_hold(struct qp *q, uint64_t ns)
{
	q->retry.resume_at = clock_now() + ns;
}

bool retry_is_waiting(const struct qp *q)
{
	return q->retry.resume_at && q->attr.qp_state == IBV_QPS_RTS && clock_now() < q->retry.resume_at;
}

/* The receiver says at once that it is not ready */
static int rnr_later(struct qp *q)
{
	bool for_ever = q->attr.rnr_retry == RNR_RETRY_FOR_EVER;

	q->retry.lost = 0;
	if (!for_ever && q->retry.rnr++ == q->attr.rnr_retry)
		return MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR;
	retry_hold(q, rnr_timeout(q));
	return STALL_RNR;
}

/* Nobody answers, which shows only when the time is over */
static int lost_later(struct qp *q)
{
	if (q->attr.timeout != TIMEOUT_FOR_EVER)
		q->retry.lost++;
	retry_hold(q, ack_timeout(q));
	return STALL_PEER;
}

bool retry_is_used_up(const struct qp *q)
{
	return q->retry.lost > q->attr.retry_cnt;
}

int retry_later(struct qp *q, int stall)
{
	return stall == STALL_RNR ? rnr_later(q) : lost_later(q);
}
