/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_POST_POOL_BED_H
#define UNIT_POST_POOL_BED_H

/* What the tests of pools have: pools of small buffers, and messages from them. */

#include "unit/post/bed.h"

#define COUNT 8
#define SIZE 256
#define HEADROOM 40

/* Of buffers of SIZE. */
struct vx_pool *new_pool_with(struct vx_pool_init init);
struct vx_pool *new_pool(uint32_t count, uint32_t flags);

uint32_t get(struct vx_pool *pool);

/* A message from a pool; a completion comes with its wr_id. */
void send_buffer(struct vx_pool *pool, struct vx_qp *from, uint32_t index, uint32_t length);

#endif
