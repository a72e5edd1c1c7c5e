/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A message that says where its data are, and has found its tag: the device reads them and says so to the
 * sender (FIN). The QP at which it came does that with requests that nobody posted.
 */
#ifndef EMU_RENDEZVOUS_H
#define EMU_RENDEZVOUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/tm_types.h>

struct qp;

struct rendezvous {
	STAILQ_ENTRY(rendezvous) link;
	struct ibv_tmh head; /* of the message */
	struct ibv_rvh where; /* its data are */
	struct mlx5_wqe_data_seg buffer; /* of the tag */
	uint16_t index; /* of the tag */
	bool is_read; /* what is left is to say so */
};
STAILQ_HEAD(rendezvous_list, rendezvous);

/* Begin one, as the QP gets to it. */
void rendezvous_add(struct qp *q, const struct rendezvous *r);

/* The request that is next, put into a block of a send queue; NULL for none. */
struct rendezvous *rendezvous_next(const struct qp *q, void *block);

/* The request is under way; it has ended. */
void rendezvous_take(struct qp *q, struct rendezvous *r);
void rendezvous_done(struct qp *q, struct rendezvous *r, int syndrome);

/* The QP forgets those that are not under way. */
void rendezvous_clear(struct qp *q);

#endif
