/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Transport interface receive (TIR): where flows bring frames, to one receive queue or spread over a table. */
#ifndef EMU_TIR_H
#define EMU_TIR_H

#include "objects/object.h"
#include "objects/wq.h"
#include "packets/frame.h"
#include "packets/rss.h"

struct tir {
	struct object o;
	struct object *domain; /* transport domain */
	struct object *table; /* or NULL: */
	struct wq *rq;
	struct rss rss;
};

void tir_release(struct object *o);

/* The queue for a frame of those headers. */
struct wq *tir_pick(const struct tir *t, const struct headers *h);

#endif
