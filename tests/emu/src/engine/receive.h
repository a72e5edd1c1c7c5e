/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Taking messages in: receive WQEs are consumed and completed. */
#ifndef EMU_RECEIVE_H
#define EMU_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/mlx5dv.h>

#include "objects/cq.h"

/* The key of a segment that ends the list */
#define TERMINATE_KEY 0x100

#define MAX_RECV_SEGMENTS 64

struct qp;
struct srq;
struct wq;

struct recv_wqe {
	struct mlx5_wqe_data_seg *seg;
	int nseg;
	uint16_t counter;
};

/* A message that goes packet by packet into a receive WQE */
struct incoming {
	bool taken; /* the WQE; it is for the next message when this one breaks off */
	uint16_t counter;
	int nseg;
	int forced; /* a syndrome that a fault asks for */
	uint64_t srq; /* of that serial number; 0: of the QP's own queue */
	uint8_t app_op; /* TM_...: what an SRQ with tags makes of it */
	uint32_t skip; /* bytes of it that are not for the segments */
	struct ibv_tmh head; /* where it has found a tag */
	struct ibv_rvh where; /* and the data are to be fetched */
	struct mlx5_wqe_data_seg seg[MAX_RECV_SEGMENTS]; /* a copy: an SRQ may go before the message */
};

/* What a packet has of a message */
struct part {
	const uint8_t *data;
	uint32_t offset, len;
	bool first, last;
};

/**
 * Put a part of a message into a receive WQE of a QP or its SRQ: the first one takes the WQE,
 * the last one or an error completes it.
 *
 * @param c  the completion, up to what only the responder knows
 * @return 0, ANSWER_RNR without a WQE, or the syndrome that the responder sees
 */
int receive(struct qp *q, struct srq *s, struct incoming *in, const struct part *part, struct completion *c);

/* Put a frame into a receive WQE of a WQ; without one it is lost, and without room the WQ has an error. */
void receive_wq(struct wq *w, const struct part *part, struct completion *c);

/* Complete all receive WQEs of a QP, or of a WQ, with a flush error. */
void receive_flush(struct qp *q);
void receive_flush_wq(struct wq *w);

#endif
