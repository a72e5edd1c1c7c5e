/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Receive work queues that belong to no QP, and the tables of them that a QP spreads packets over. */
#ifndef EMU_WQ_H
#define EMU_WQ_H

#include <stdint.h>
#include <sys/queue.h>

#include "objects/object.h"
#include "objects/qp.h"

/* The logarithm of how many a table has at most */
#define LOG_MAX_TABLE 7

struct wq {
	struct object o;
	LIST_ENTRY(wq) link;
	struct work_queue rq;
	struct cq *cq;
	uint32_t uidx, state; /* IBV_WQS_... */
	struct object *umem[2]; /* of one made by a mailbox: where its doorbell and its entries lie */
};

LIST_HEAD(wq_list, wq);
extern struct wq_list wq_list;

/* One without entries, in RESET, that completes to that CQ; NULL without room. */
struct wq *wq_new(struct context *ctx, struct object *pd, struct cq *cq);

/* Go to a state: 0 or EINVAL. */
int wq_move(struct wq *w, uint32_t state);

/* A table of queues, a power of two of them. */
struct object *rwq_table_new(struct context *ctx, struct wq *const *wqs, uint32_t n);

void wq_release(struct object *o);
void rwq_table_release(struct object *o);

/* The WQ of a table for that hash. */
struct wq *rwq_table_pick(struct object *table, uint32_t hash);

#endif
