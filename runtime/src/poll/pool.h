/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_POOL_H
#define VERBSX_SRC_POOL_H

/* A pool of buffers: a slot for each, on a stack that many threads may share. */

#include <stdbool.h>

#include <verbsx/pool.h>

#include "kinds.h"
#include "object/object.h"

#define VX_POOL_RECEIVE 0x80000000u	/* in a wr_id */

#define VX_POOL_OF_SRQ UINT32_MAX	/* no number of a QP */

enum vx_slot_state { VX_SLOT_IN, VX_SLOT_OUT, VX_SLOT_POSTED, VX_SLOT_BACK };

/* A buffer. Whoever has taken it out may write its next. */
struct vx_slot {
	struct ibv_sge sge;	/* of a receive */
	uint32_t next;		/* in the stack, or among those that are to be posted: 1 + its index; 0: none */
	uint32_t qp_num;	/* to which it was posted last, or VX_POOL_OF_SRQ */
	uint8_t state;
};

struct vx_pool_state {
	struct vx_kept_pool kept;
	struct vx_mr *mr;
	struct vx_slot *slots;
	uint32_t tag;		/* in each wr_id, where other requests of the program have none or another one */
	uint32_t left;		/* in the stack */
	uint64_t head;		/* of the stack: 1 + the index of a slot, and how often it changed in the upper half */
};

/* Whether a wr_id is of the pool, and of which buffer. */
static inline bool vx_pool_has(const struct vx_pool_state *p, uint64_t wr_id, uint32_t *index)
{
	*index = (uint32_t)wr_id & ~VX_POOL_RECEIVE;
	return wr_id >> 32 == p->tag && *index < p->kept.count;
}

/* 1 + the index of a slot that was on the stack, and is so now; 0: there is none. */
uint32_t vx_slot_pop(struct vx_pool_state *p, enum vx_slot_state state);

/* Whoever does so has it, of two who take the same completion one: from POSTED to BACK. */
bool vx_slot_take_back(struct vx_pool_state *p, uint32_t index);

/* Onto the stack, if it is as it is said to be: of two who put it back one does. */
bool vx_slot_put_back(struct vx_pool_state *p, uint32_t index, enum vx_slot_state state);

#endif
