/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_POSTING_H
#define VERBSX_TESTS_POSTING_H

/* Requests that are wrong, of a QP that has checks or not. */

#include "mistakes.h"

#define ROOM 4096
#define DEPTH 16
#define ALL (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/* A QP that is connected with itself, and its memory. */
struct post {
	struct bench *bench;
	struct vx_pd *pd;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_wr *wr;
	bool checked;
	const char *too;	/* what comes of it beside the code, for who reads that */
};

static inline uint64_t at(const struct post *p, size_t offset)
{
	return (uintptr_t)vx_mr_addr(p->mr) + offset;
}

static inline void begin(struct post *p)
{
	p->wr = vx_wr_start(p->qp);
}

static inline void begin_write(struct post *p)
{
	begin(p);
	vx_wr_rdma_write(p->wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(p->mr), at(p, 1024));
}

static inline void add_sge(const struct post *p, uint32_t length)
{
	vx_wr_set_sge(p->wr, vx_mr_lkey(p->mr), at(p, 0), length);
}

/* ---- queues that are full (posting_full.c) ---- */

int too_many(struct post *p);
int full_by_posts(struct post *p);
int full_by_lists(struct post *p);
int full_srq(struct bench *b);

#endif
