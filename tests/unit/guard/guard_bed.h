/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_POST_GUARD_BED_H
#define UNIT_POST_GUARD_BED_H

/* What the tests of checked QPs have: one that is connected with itself, and a region that it may do all with. */

#include "unit/post/bed.h"

#define ROOM 4096
#define ALL (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

extern char memory[2 * ROOM];
extern struct vx_mr *mr;	/* the first half of it */
extern uint32_t lkey;		/* of mr */
extern struct vx_cq *done;
extern struct vx_wr *wr;	/* the list that a test is at */

void open_checked(void);

/* In INIT. */
struct vx_qp *new_checked(enum ibv_qp_type type, uint64_t ops);

/* An address in memory. */
uint64_t at(size_t offset);
void write_one(uint64_t wr_id, unsigned int flags);

/* How many requests more the QP takes. */
uint32_t room(void);

/* Polls until so many have completed, all of them well. */
void poll_all(int count);

/* The list is refused, says why, and posts nothing: the next goes through. */
void expect_refused(int code, const char *words);

#endif
