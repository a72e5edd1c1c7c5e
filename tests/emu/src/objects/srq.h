/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared receive queues. */
#ifndef EMU_SRQ_H
#define EMU_SRQ_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#include "objects/cq.h"
#include "objects/object.h"

struct recv_wqe;
struct tag_list;
struct xrcd;

struct srq {
	struct object o;
	uint8_t *buf; /* a list of WQEs, each with the index of the next */
	__be32 *db; /* counter of those posted */
	uint32_t stride, uidx, limit, max_wr, max_sge;
	uint16_t head, consumed;
	uint32_t count; /* of a cyclic one, whose WQEs are in order */
	bool cyclic;
	struct object *umem[2]; /* of one made by a mailbox: where its doorbell and WQEs lie */
	struct cq *cq; /* of an XRC one, or one with tags */
	struct xrcd *xrcd;
	struct tag_list *tags; /* NULL: it has none */
};

void srq_release(struct object *o);

/* Take the next WQE; false if there is none. */
bool srq_pop(struct srq *s, struct recv_wqe *w);

#endif
