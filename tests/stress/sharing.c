/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Receives that the QPs of a worker share: an SRQ, and one of XRC, to which QPs send that have no receives at all. */

#include <string.h>

#include "stress.h"

#define SHARED_RECEIVES 256
#define QUIET_MS 20

/* It has no XRC, and whether a QP with an SRQ is drained it tells by a while without completions, which may come of a busy machine. */
bool is_soft_roce(void)
{
	return !strncmp(vx_ctx_name(shared.ctx), "rxe", 3);
}

void fill_sharing(struct sharing *sharing)
{
	uint32_t count = SHARED_RECEIVES - sharing->posted;

	if (count)
		made(vx_pool_post_srq_recv(shared.plain.pool, sharing->srq, count));
	sharing->posted += count;
}

void open_sharing(struct worker *worker)
{
	if (is_soft_roce())
		return;
	made(vx_srq_create(shared.pd, &(struct vx_srq_init){ .attr.max_wr = SHARED_RECEIVES }, &worker->srq.srq));
	fill_sharing(&worker->srq);
	made(vx_srq_create(shared.pd, &(struct vx_srq_init){ .srq_type = IBV_SRQT_XRC, .xrcd = shared.xrcd, .cq = worker->cq_ex,
							     .attr.max_wr = SHARED_RECEIVES }, &worker->xrc.srq));
	made(vx_srq_get_num(worker->xrc.srq, &worker->xrc.number));
	fill_sharing(&worker->xrc);
}

uint32_t close_sharing(struct worker *worker)
{
	if (is_soft_roce())
		return 0;
	made(vx_close(worker->srq.srq));
	made(vx_close(worker->xrc.srq));
	return worker->srq.posted + worker->xrc.posted;
}

void open_sender(struct side *side, struct vx_qp_init init)
{
	init.recv_cq = NULL;
	init.cap.max_recv_wr = init.cap.max_recv_sge = 0;
	made(vx_qp_create(shared.pd, &init, &side->qp));
}

void open_receiver(struct side *side)
{
	made(vx_qp_create(shared.pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = shared.xrcd }, &side->qp));
}

void wait_for_quiet(struct worker *worker)
{
	int64_t since = now_ms();

	while (now_ms() < since + QUIET_MS)
		if (collect(worker))
			since = now_ms();
}
