/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A request at the QP that responds to it. */
#ifndef EMU_REQUEST_H
#define EMU_REQUEST_H

#include "cq.h"
#include "packet.h"

struct qp;
struct srq;

struct request {
	struct packet p;
	uint8_t *data; /* p.len bytes: its data, or room for what it asks for */
	struct qp *to;
	struct srq *srq; /* where the responder takes its receive WQEs, or NULL */
	struct completion recv; /* what the responder's completion will say */
	uint32_t response_len; /* of what it asked for, now in @data */
	uint8_t rnr_timer; /* with STALL_RNR: when to try again, as IBV_QP_MIN_RNR_TIMER */
};

/*
 * What becomes of a request: 0, the syndrome of the requester's completion, or one of
 * these, after which it is tried again.
 */
enum {
	STALL_RNR = -1,
	STALL_PEER = -2,
	STALL_DELAY = -3,
	STALL_AWAY = -4 /* in another process: no attempt was in vain yet */
};

typedef int respond_fn(struct request *r);

/* Do what it asks for, at the QP that it names; only p and data are set. */
respond_fn respond;

#endif
