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
	uint32_t state;		/* of enum vx_slot_state, and above that how often it was posted before: one turn for each */
};

#define VX_SLOT_STATE 3u	/* of slot.state */
#define VX_SLOT_TURN 4u

struct vx_pool_state {
	struct vx_kept_pool kept;
	struct vx_mr *mr;
	struct vx_slot *slots;
	uint32_t tag;		/* in each wr_id, where other requests of the program have none or another one */
	uint32_t indices;	/* the bits of a wr_id that have the index; those up to VX_POOL_RECEIVE have the turn of a receive */
	uint32_t left;		/* in the stack */
	uint64_t head;		/* of the stack: 1 + the index of a slot, and how often it changed in the upper half */
};

/* Whether a wr_id is of the pool, and of which buffer. */
static inline bool vx_pool_has(const struct vx_pool_state *p, uint64_t wr_id, uint32_t *index)
{
	*index = (uint32_t)wr_id & (wr_id & VX_POOL_RECEIVE ? p->indices : UINT32_MAX);
	return wr_id >> 32 == p->tag && *index < p->kept.count;
}

/* With its turn. */
static inline uint32_t vx_slot_state(const struct vx_pool_state *p, uint32_t index)
{
	return __atomic_load_n(&p->slots[index].state, __ATOMIC_RELAXED);
}

/* By whoever has it. */
static inline void vx_slot_becomes(struct vx_pool_state *p, uint32_t index, enum vx_slot_state state)
{
	__atomic_store_n(&p->slots[index].state, (vx_slot_state(p, index) & ~VX_SLOT_STATE) | state, __ATOMIC_RELAXED);
}

/* Of a receive with a slot that is posted, in its turn by its state. */
static inline uint64_t vx_slot_wr_id(const struct vx_pool_state *p, uint32_t index, uint32_t state)
{
	const uint32_t turn = state / VX_SLOT_TURN * (p->indices + 1);

	return (uint64_t)p->tag << 32 | VX_POOL_RECEIVE | turn | index;
}

/* 1 + the index of a slot that was on the stack, and is so now; 0: there is none. */
uint32_t vx_slot_pop(struct vx_pool_state *p, enum vx_slot_state state);

/* Whoever does so has it, of two who take the same completion one: from POSTED, in the turn that a wr_id has, to BACK. */
bool vx_slot_take_back(struct vx_pool_state *p, uint32_t index, uint64_t wr_id);

/* Onto the stack, if it is as it is said to be: of two who put it back one does. */
bool vx_slot_put_back(struct vx_pool_state *p, uint32_t index, enum vx_slot_state state);

#endif
