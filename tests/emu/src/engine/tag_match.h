/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What an SRQ with tags does with a message: it goes to the tag that it is for, else into a WQE. */
#ifndef EMU_TAG_MATCH_H
#define EMU_TAG_MATCH_H

#include <stdbool.h>

#include "engine/receive.h"

/* Find where a message goes by its first part: a tag, as a WQE of one segment, or a WQE; false where there is none. */
bool tag_pop(struct srq *s, struct incoming *in, const struct part *part, struct recv_wqe *w);

/* Say in the completion what became of it. */
void tag_complete(const struct incoming *in, struct completion *c);

/* Get the data of one that only says where they are. */
void tag_fetch(struct qp *q, const struct incoming *in);

#endif
