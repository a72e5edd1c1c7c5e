/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands before a CQ that checked QPs complete in: it counts what they have sent. */

#include <errno.h>
#include <sched.h>

#include "guard.h"
#include "kinds.h"

#define SPINS 100 /* before the processor is left to whoever has the lock */

/* Held for some instructions, with which threads that poll the same CQ have to wait for each other anyway. */
static void lock_counts(struct vx_guard_cq *cq)
{
	int i = 0;

	while (__atomic_exchange_n(&cq->lock, 1, __ATOMIC_ACQUIRE))
		if (++i % SPINS == 0)
			sched_yield();
}

static void unlock_counts(struct vx_guard_cq *cq)
{
	__atomic_store_n(&cq->lock, 0, __ATOMIC_RELEASE);
}

static struct vx_guard_count **list_of_qp(struct vx_guard_cq *cq, uint32_t qp_num)
{
	return &cq->lists[qp_num % (sizeof(cq->lists) / sizeof(cq->lists[0]))];
}

static struct vx_guard_count *find_count(struct vx_guard_cq *cq, uint32_t qp_num)
{
	struct vx_guard_count *count = *list_of_qp(cq, qp_num);

	while (count && count->qp_num != qp_num)
		count = count->next;
	return count;
}

/* A completion that failed has no opcode. */
static bool may_be_of_a_send(enum ibv_wc_status status, unsigned int opcode)
{
	return status != IBV_WC_SUCCESS || opcode < IBV_WC_RECV || opcode >= IBV_WC_DRIVER1;
}

static void count_one(struct vx_guard_count *count)
{
	if (count)
		__atomic_store_n(&count->done, count->done + 1, __ATOMIC_RELEASE);
}

static int guard_poll_cq(struct ibv_cq *front, int entries, struct ibv_wc *wc)
{
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;
	int i, found = ibv_poll_cq(vx_front_next(front), entries, wc);
	struct vx_guard_count *count = NULL;

	if (found <= 0)
		return found;
	lock_counts(cq);
	for (i = 0; i < found && i < entries; i++) {
		if (!may_be_of_a_send(wc[i].status, wc[i].opcode))
			continue;
		if (!count || count->qp_num != wc[i].qp_num)
			count = find_count(cq, wc[i].qp_num);
		count_one(count);
	}
	unlock_counts(cq);
	return found;
}

/* A CQ that was made without the numbers of QPs counts nothing, which those are told that wait for counts. */
static int count_read(struct ibv_cq_ex *front, int rc)
{
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;
	struct ibv_cq_ex *next = vx_front_next(front);

	front->wr_id = next->wr_id;
	front->status = next->status;
	cq->front.last = rc;
	if (!next->read_qp_num)
		__atomic_store_n(&cq->is_blind, true, __ATOMIC_RELAXED);
	if (rc || !next->read_qp_num || !may_be_of_a_send(next->status, next->status ? 0 : ibv_wc_read_opcode(next)))
		return rc;
	lock_counts(cq);
	count_one(find_count(cq, ibv_wc_read_qp_num(next)));
	unlock_counts(cq);
	return rc;
}

static int guard_start_poll(struct ibv_cq_ex *front, struct ibv_poll_cq_attr *attr)
{
	return count_read(front, ibv_start_poll(vx_front_next(front), attr));
}

static int guard_next_poll(struct ibv_cq_ex *front)
{
	return count_read(front, ibv_next_poll(vx_front_next(front)));
}

/* Of one that was adopted nobody knows. */
bool vx_is_plain_cq(const struct vx_node *cq)
{
	const struct vx_kept_cq *kept = vx_node_extra(cq);

	return kept->known && !kept->wc_flags;
}

static int refuse_start_poll(struct ibv_cq_ex *front, struct ibv_poll_cq_attr *attr)
{
	(void)front;
	(void)attr;
	return EOPNOTSUPP; /* which vx_wc_fail() has words for */
}

struct vx_guard_cq *vx_guard_cq_new(struct vx_node *cq, const char *call)
{
	struct vx_guard_cq *guard = vx_front_cq_new(cq->object.front, sizeof(*guard), call);

	if (!guard)
		return NULL;
	guard->front.cq.start_poll = vx_is_plain_cq(cq) ? refuse_start_poll : guard_start_poll;
	guard->front.cq.next_poll = guard_next_poll;
	guard->front.context.ops.poll_cq = guard_poll_cq;
	vx_front_put(cq, guard);
	return guard;
}

/* ---- those that are counted ---- */

/* Builders have none before, of a plain CQ. */
void vx_guard_count_begin(struct vx_guard_cq *cq, struct vx_guard_count *count)
{
	struct vx_guard_count **list = list_of_qp(cq, count->qp_num);

	lock_counts(cq);
	count->cq = cq;
	count->next = *list;
	*list = count;
	unlock_counts(cq);
}

void vx_guard_count_end(struct vx_guard_count *count)
{
	struct vx_guard_count **link;

	if (!count->cq)
		return;
	lock_counts(count->cq);
	for (link = list_of_qp(count->cq, count->qp_num); *link != count; link = &(*link)->next)
		;
	*link = count->next;
	unlock_counts(count->cq);
}
