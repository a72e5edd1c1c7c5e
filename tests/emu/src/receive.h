/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Taking messages in: receive WQEs are consumed and completed. */
#ifndef EMU_RECEIVE_H
#define EMU_RECEIVE_H

#include <stdint.h>
#include <infiniband/mlx5dv.h>

#include "cq.h"
#include "request.h"

/* The key of a segment that ends the list */
#define TERMINATE_KEY 0x100

struct wq;

struct recv_wqe {
	struct mlx5_wqe_data_seg *seg;
	int nseg;
	uint16_t counter;
};

/**
 * Put a message into the next receive WQE of a QP or its SRQ.
 *
 * @param c  the completion, up to what only the responder knows
 * @return 0, STALL_RNR without a WQE, or the syndrome that the responder sees
 */
int receive(struct qp *q, struct srq *s, const uint8_t *data, uint32_t len, struct completion *c);

/* Complete all receive WQEs of a QP, or of a WQ, with a flush error. */
void receive_flush(struct qp *q);
void receive_flush_wq(struct wq *w);

#endif
