/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_POST_POLLER_BED_H
#define UNIT_POST_POLLER_BED_H

/* What the tests of pollers have: pollers of the CQ, and completions of wr_id 7 to come. */

#include "unit/post/bed.h"

#define LATER 20 /* ms, after which something comes that is waited for */
#define LONG 5000

struct vx_poller *new_poller_of(struct vx_cq *of, struct vx_poller_init init);
struct vx_poller *new_poller(enum vx_poller_mode mode);

/* A write of nothing: one completion. */
void complete_on(struct vx_qp *of);
void complete_later(void);

struct ibv_wc expect_one(struct vx_poller *poller, int timeout_ms);
int poll_none(struct vx_poller *poller, int timeout_ms);
bool is_readable(struct vx_poller *poller, int timeout_ms);

#endif
