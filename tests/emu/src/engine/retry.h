/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Requests that are sent again: counters and timers of a requester. */
#ifndef EMU_RETRY_H
#define EMU_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct qp;

struct retry {
	bool lost; /* a packet or an answer, since packets were last sent again */
	uint8_t tries, rnr; /* since something arrived that had not */
	uint64_t timer; /* ns: when the oldest packet has waited too long; 0: it does not run */
	uint64_t hold; /* ns: nothing goes out before; 0: at once */
};

/* Something has arrived that had not. */
void retry_progress(struct qp *q);

/* The receiver was not ready, or missed a packet: 0, or the syndrome that says "not again". */
int retry_rnr(struct qp *q, uint8_t timer);
int retry_sequence(struct qp *q);

/* A process has died: whoever had sent it something finds out by the timer, even if another has its place by then. */
void retry_after_death(void);

/* See to the timer: when it is over, packets that are lost go out again. */
void retry_check(struct qp *q);

/* Let nothing go out for @ns, and whether it is not yet time. */
void retry_hold(struct qp *q, uint64_t ns);
bool retry_is_holding(struct qp *q);

#endif
