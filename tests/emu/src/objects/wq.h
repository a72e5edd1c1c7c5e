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
};

LIST_HEAD(wq_list, wq);
extern struct wq_list wq_list;

void wq_release(struct object *o);
void rwq_table_release(struct object *o);

/* The WQ of a table for that hash. */
struct wq *rwq_table_pick(struct object *table, uint32_t hash);

#endif
