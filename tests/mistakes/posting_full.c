/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Requests that there is no room for. */

#include "posting.h"

int too_many(struct post *p)
{
	int i;

	begin(p);
	for (i = 0; i <= DEPTH; i++) {
		vx_wr_rdma_write(p->wr, (uint64_t)i, 0, vx_mr_rkey(p->mr), at(p, 1024));
		add_sge(p, 8);
	}
	return vx_wr_complete(p->wr);
}

int full_by_posts(struct post *p)
{
	struct ibv_sge sge = { at(p, 0), 8, vx_mr_lkey(p->mr) };
	int i;

	for (i = 0; i < DEPTH; i++)
		must(vx_qp_post_rdma_write(p->qp, (uint64_t)i, 0, &sge, 1, vx_mr_rkey(p->mr), at(p, 1024)));
	begin_write(p);
	add_sge(p, 8);
	return vx_wr_complete(p->wr);
}

/* Without checks: once there is a receive, which the first waits for, what was written where. */
static void look_what_was_done(struct post *p)
{
	const char *bytes = vx_mr_addr(p->mr);
	struct ibv_wc wc = { .wr_id = 0 };

	must(vx_qp_post_recv_one(p->qp, 0, &(struct ibv_sge){ at(p, 64), 8, vx_mr_lkey(p->mr) }, 1));
	while (wc.wr_id != DEPTH - 1)
		(void)vx_cq_poll(p->bench->cq, 1, &wc);
	if (!bytes[1024 + 8 * (DEPTH - 1)] && bytes[1024 + 8 * DEPTH])
		p->too = "; it is done, in place of the last that was posted";
}

int full_by_lists(struct post *p)
{
	int i, rc = 0;

	*(char *)vx_mr_addr(p->mr) = 1;
	for (i = 0; i <= DEPTH && rc == 0; i++) {
		begin(p);
		if (i)
			vx_wr_rdma_write(p->wr, (uint64_t)i, IBV_SEND_SIGNALED, vx_mr_rkey(p->mr), at(p, 1024 + 8 * (size_t)i));
		else
			vx_wr_send(p->wr, 0, 0);
		add_sge(p, 8);
		rc = vx_wr_complete(p->wr);
	}
	if (!p->checked)
		look_what_was_done(p);
	return rc;
}

/* Of the 15 that libmlx5 tells the kernel of, 8 are for receives that wait for their pages */
int full_srq(struct bench *b)
{
	struct ibv_recv_wr wr = { .wr_id = 1 };
	struct vx_srq *srq;
	int rc = 0;

	must(vx_srq_create(b->pd, &(struct vx_srq_init){ .attr = { .max_wr = 4, .max_sge = 1 } }, &srq));
	for (int i = 0; i < 15 && !rc; i++)
		rc = vx_srq_post_recv(srq, &wr, &(struct ibv_recv_wr *){ NULL });
	return rc;
}
