/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Receives that are posted with the buffers of a pool, and what completions give back. */

#include <errno.h>
#include <inttypes.h>

#include <verbsx/pool.h>
#include <verbsx/post.h>
#include <verbsx/wc_error.h>

#include "error/fail.h"
#include "guard/guard.h"
#include "object/make.h"
#include "pool.h"

#define LIST 32	/* requests that are posted at once */

/* ---- posting ---- */

/* A queue of receives: of a QP, or, where that is NULL, an SRQ. */
struct queue {
	struct vx_qp *qp;
	struct vx_srq *srq;
};

static int post_receives(struct queue to, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return to.qp ? vx_qp_post_recv(to.qp, wr, bad) : vx_srq_post_recv(to.srq, wr, bad);
}

/* A slot, and those that it leads to. */
static void put_slots_back(struct vx_pool_state *p, uint32_t first, enum vx_slot_state state)
{
	uint32_t next;

	for (; first; first = next) {
		next = p->slots[first - 1].next;
		vx_slot_put_back(p, first - 1, state);
	}
}

/* Slots that were taken out, each with its next, by 1 + their index; 0: there are none. */
struct chain {
	uint32_t first, last;
};

static void add_slot(struct vx_pool_state *p, struct chain *chain, uint32_t slot)
{
	__atomic_store_n(&p->slots[slot - 1].next, 0, __ATOMIC_RELAXED);
	if (chain->last)
		__atomic_store_n(&p->slots[chain->last - 1].next, slot, __ATOMIC_RELAXED);
	else
		chain->first = slot;
	chain->last = slot;
}

/* Take slots out, the warmest first, which leads to the others. 0: there are not so many, or none. */
static uint32_t take_slots(struct vx_pool_state *p, uint32_t count)
{
	struct chain chain = { 0 };
	uint32_t top;

	for (; count && (top = vx_slot_pop(p, VX_SLOT_POSTED)); count--)
		add_slot(p, &chain, top);
	if (!count)
		return chain.first;
	put_slots_back(p, chain.first, VX_SLOT_POSTED);
	return 0;
}

/*
 * Requests for slots that were taken, up to LIST of them; the slots that are left. They are copies, as another thread may have the
 * first one's completion, and its slot, before the last one is posted.
 */
static uint32_t fill(const struct vx_pool_state *p, struct ibv_recv_wr *list, uint32_t first, uint32_t qp_num)
{
	struct ibv_recv_wr *wr;

	for (wr = list; first && wr < list + LIST; wr++, first = p->slots[first - 1].next) {
		*wr = (struct ibv_recv_wr){
			.wr_id = vx_slot_wr_id(p, first - 1, vx_slot_state(p, first - 1)), .next = wr + 1,
			.sg_list = &p->slots[first - 1].sge, .num_sge = 1,
		};
		__atomic_store_n(&p->slots[first - 1].qp_num, qp_num, __ATOMIC_RELAXED);
	}
	wr[-1].next = NULL;
	return first;
}

/* What was not posted goes back. */
static void put_rest_back(struct vx_pool_state *p, const struct ibv_recv_wr *bad, uint32_t first)
{
	for (; bad; bad = bad->next)
		vx_slot_put_back(p, (uint32_t)bad->wr_id & p->indices, VX_SLOT_POSTED);
	put_slots_back(p, first, VX_SLOT_POSTED);
}

static int post_slots(struct vx_pool_state *p, struct queue queue, uint32_t first)
{
	const uint32_t qp_num = queue.qp ? vx_qp_raw(queue.qp)->qp_num : VX_POOL_OF_SRQ;
	struct ibv_recv_wr list[LIST], *bad;
	uint32_t rest;
	int rc = 0;

	for (; first && rc == 0; first = rest) {
		rest = fill(p, list, first, qp_num);
		rc = post_receives(queue, list, &bad);
		if (rc < 0)
			put_rest_back(p, bad, rest);
	}
	return rc;
}

static int post_all(struct vx_pool *pool, struct queue queue, uint32_t count, const char *call)
{
	struct vx_pool_state *p = vx_pool_state_of(pool);
	uint32_t first = count ? take_slots(p, count) : 0;

	if (count && !first)
		return vx_fail(-ENOBUFS, call, VX_NAME(pool), "%" PRIu32 " buffers are left of %" PRIu32 ", and %" PRIu32
			       " receives were to be posted", vx_pool_left(pool), p->kept.count, count);
	return post_slots(p, queue, first);
}

int vx_pool_post_recv(struct vx_pool *pool, struct vx_qp *qp, uint32_t count)
{
	if (vx_is_no_pool(pool, "vx_pool_post_recv") || vx_wrong(qp, VX_OBJECT_QP, "vx_pool_post_recv", "qp"))
		return -EINVAL;
	if (vx_qp_raw(qp)->srq)
		return vx_fail(-EINVAL, "vx_pool_post_recv", VX_NAME(qp), "it has an SRQ, to which vx_pool_post_srq_recv() posts");
	if (vx_is_checked(qp) && vx_qp_raw(qp)->qp_type == IBV_QPT_UD && vx_pool_state_of(pool)->kept.headroom < VX_BEFORE_DATAGRAM)
		return vx_fail(-EINVAL, "vx_pool_post_recv", VX_NAME(pool), "it was made with headroom = %u, and datagrams come behind %d bytes for a GRH",
			       vx_pool_state_of(pool)->kept.headroom, VX_BEFORE_DATAGRAM);
	return post_all(pool, (struct queue){ .qp = qp }, count, "vx_pool_post_recv");
}

int vx_pool_post_srq_recv(struct vx_pool *pool, struct vx_srq *srq, uint32_t count)
{
	if (vx_is_no_pool(pool, "vx_pool_post_srq_recv") ||
	    vx_wrong(srq, VX_OBJECT_SRQ, "vx_pool_post_srq_recv", "srq"))
		return -EINVAL;
	return post_all(pool, (struct queue){ .srq = srq }, count, "vx_pool_post_srq_recv");
}

/* ---- completions ---- */

/* What a batch of completions has come to. */
struct batch {
	struct chain receives;		/* whose buffers are to be posted again */
	const struct ibv_wc *failed;	/* the first that was not flushed, or else the first */
	const struct ibv_wc *stray;	/* whose buffer is not where it should be */
};

/* Those of receives are not put back: on a pool that is shared, others might take them before they are posted again. */
static void take_back(struct vx_pool_state *p, const struct ibv_wc *wc, struct batch *batch)
{
	const bool received = wc->wr_id & VX_POOL_RECEIVE;
	uint32_t index;

	if (wc->status != IBV_WC_SUCCESS && (!batch->failed || (batch->failed->status == IBV_WC_WR_FLUSH_ERR &&
								 wc->status != IBV_WC_WR_FLUSH_ERR)))
		batch->failed = wc;
	if (!vx_pool_has(p, wc->wr_id, &index))
		return;
	if (!(received ? vx_slot_take_back(p, index, wc->wr_id) : vx_slot_put_back(p, index, VX_SLOT_OUT)))
		batch->stray = batch->stray ? batch->stray : wc;
	else if (received)
		add_slot(p, &batch->receives, index + 1);
}

static int post_again(struct vx_pool_state *p, struct queue queue, uint32_t first)
{
	uint32_t slot;

	for (slot = first; slot; slot = p->slots[slot - 1].next)
		vx_slot_becomes(p, slot - 1, VX_SLOT_POSTED);
	return post_slots(p, queue, first);
}

/* As many receives again as there were, with the same buffers. */
static int replace(struct vx_pool *pool, struct vx_qp *qp, const struct batch *batch)
{
	const bool has_srq = qp && vx_qp_raw(qp)->srq;
	struct vx_node *srq = has_srq ? vx_node_used_as((const struct vx_node *)qp, VX_OBJECT_SRQ, NULL) : NULL;
	const bool posts = batch->receives.first && qp && (has_srq ? srq != NULL : !batch->failed);
	const struct queue queue = { .qp = srq ? NULL : qp, .srq = (struct vx_srq *)srq };

	if (posts)
		return post_again(vx_pool_state_of(pool), queue, batch->receives.first);
	put_slots_back(vx_pool_state_of(pool), batch->receives.first, VX_SLOT_BACK);
	if (batch->receives.first && has_srq)
		return vx_fail(-EINVAL, "vx_pool_done", VX_NAME(qp), "its SRQ has no handle: vx_srq_adopt() gives one, before that of the QP");
	return 0;
}

static VX_COLD int fail_of_stray(const struct vx_pool *pool, const struct ibv_wc *wc)
{
	return vx_fail(-EINVAL, "vx_pool_done", VX_NAME(pool), "buffer %" PRIu32 ", of wr_id = 0x%" PRIx64 ", is not out: was this "
		       "completion given before?", (uint32_t)wc->wr_id & vx_pool_state_of(pool)->indices, wc->wr_id);
}

static VX_COLD int fail_of_completion(const struct vx_pool *pool, const struct vx_qp *qp, const struct ibv_wc *wc)
{
	char text[512];

	vx_wc_error(text, sizeof(text), wc, qp && vx_qp_raw(qp)->qp_num == wc->qp_num ? qp : NULL, VX_WC_UNKNOWN);
	return vx_fail(-EIO, "vx_pool_done", VX_NAME(pool), "%s", text);
}

int vx_pool_done(struct vx_pool *pool, struct vx_qp *qp, const struct ibv_wc *wc, int count)
{
	struct batch batch = { 0 };
	bool all;
	int i, rc;

	if (vx_is_no_pool(pool, "vx_pool_done") ||
	    (qp && vx_wrong(qp, VX_OBJECT_QP, "vx_pool_done", "qp")))
		return -EINVAL;
	if (count > 0 && !wc)
		return vx_null_fail("vx_pool_done", "wc");
	if (count < 0)
		return vx_fail(-EINVAL, "vx_pool_done", VX_NAME(pool), "count is %d", count);
	all = !qp || vx_qp_raw(qp)->srq;
	for (i = 0; i < count; i++)
		if (all || wc[i].qp_num == vx_qp_raw(qp)->qp_num)
			take_back(vx_pool_state_of(pool), &wc[i], &batch);
	rc = replace(pool, qp, &batch);
	if (batch.failed)
		return fail_of_completion(pool, qp, batch.failed);
	return batch.stray ? fail_of_stray(pool, batch.stray) : rc;
}

/* ---- receives that never complete ---- */

int vx_pool_take_back(struct vx_pool *pool, const struct vx_qp *qp)
{
	struct vx_pool_state *p;
	uint32_t i;
	int count = 0;

	if (vx_is_no_pool(pool, "vx_pool_take_back") || vx_wrong(qp, VX_OBJECT_QP, "vx_pool_take_back", "qp"))
		return -EINVAL;
	if (vx_qp_raw(qp)->state != IBV_QPS_RESET)
		return vx_fail(-EBUSY, "vx_pool_take_back", VX_NAME(qp), "it may still write to them, as it is not in RESET: vx_qp_reset(), or vx_qp_drain()");
	p = vx_pool_state_of(pool);
	for (i = 0; i < p->kept.count; i++)
		if (__atomic_load_n(&p->slots[i].qp_num, __ATOMIC_RELAXED) == vx_qp_raw(qp)->qp_num)
			count += vx_slot_put_back(p, i, VX_SLOT_POSTED);
	return count;
}
