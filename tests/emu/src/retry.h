/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests that are tried again: counters and timers of a requester. */
#ifndef EMU_RETRY_H
#define EMU_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct qp;

/* Of the request at the head of the send queue */
struct retry {
	bool begun; /* it was looked at */
	bool released; /* its delay is over */
	int forced; /* the syndrome that it has to end with, or 0 */
	uint32_t packets; /* that it makes, once it went out */
	uint8_t rnr_timer; /* as the responder's last RNR NAK has it */
	uint8_t lost, rnr; /* attempts in vain */
	uint64_t resume_at; /* ns; 0: at once */
};

/**
 * An attempt was in vain: see when there is to be another one.
 *
 * @param stall  STALL_RNR or STALL_PEER
 * @return @stall, or the syndrome of a completion that says that there is to be none
 */
int retry_later(struct qp *q, int stall);

/* Whether all attempts were made, and the last one's time is over. */
bool retry_is_used_up(const struct qp *q);

/* Let the request go out again in @ns. */
void retry_hold(struct qp *q, uint64_t ns);

/* Whether it is not yet time. */
bool retry_is_waiting(const struct qp *q);

#endif
