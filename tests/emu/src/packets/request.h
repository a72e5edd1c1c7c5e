/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A packet at the QP that responds to it. */
#ifndef EMU_REQUEST_H
#define EMU_REQUEST_H

#include "objects/cq.h"
#include "packets/answer.h"
#include "packets/packet.h"

struct qp;
struct responder;
struct srq;

struct request {
	struct packet p;
	const uint8_t *data; /* p.size bytes, of what sends data */
	struct qp *to;
	struct responder *from; /* what @to knows of the sender */
	struct srq *srq; /* where the responder takes its receive WQEs, or NULL */
	struct completion recv; /* what the responder's completion will say */
	struct answer answer;
	uint8_t *room; /* of the answer's data, to be freed; or NULL */
};

/* 0, the syndrome of the requester's completion, or ANSWER_RNR */
typedef int respond_fn(struct request *r);

/* Do what it asks for, at the QP that it names, and say what to answer; only p and data are set. */
void respond(struct request *r);

/* Answer with @len bytes: a copy of @data or, for NULL, what the caller puts in @room. */
int request_response(struct request *r, const void *data, uint32_t len);

/* There is nobody to respond. */
void request_unanswered(struct request *r);

#endif
