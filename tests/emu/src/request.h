/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A request on its way from a send queue to the QP that responds. */
#ifndef EMU_REQUEST_H
#define EMU_REQUEST_H

#include "cq.h"

struct qp;
struct send_wqe;
struct srq;

struct request {
	struct qp *from, *to;
	struct send_wqe *wqe;
	struct srq *srq; /* where the responder takes its receive WQEs, or NULL */
	struct completion recv; /* what the responder's completion will say */
};

/*
 * What becomes of a request: 0, the syndrome of the requester's completion, or one of
 * these, after which it is tried again.
 */
enum {
	STALL_RNR = -1,
	STALL_PEER = -2
};

typedef int respond_fn(struct request *r);

#endif
