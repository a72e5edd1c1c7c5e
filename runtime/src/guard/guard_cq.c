/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands before a CQ that checked QPs complete in: it counts what they have sent. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/enum.h>

#include "error/fail.h"
#include "guard.h"
#include "kinds.h"

static struct vx_guard_count **list_of_qp(struct vx_guard_cq *cq, uint32_t qp_num)
{
	return &cq->lists[qp_num % (sizeof(cq->lists) / sizeof(cq->lists[0]))];
}

static bool counts_for(const struct vx_guard_count *count, uint32_t qp_num)
{
	return __atomic_load_n(&count->qp_num, __ATOMIC_RELAXED) == qp_num;
}

static struct vx_guard_count *find_count(struct vx_guard_cq *cq, uint32_t qp_num)
{
	struct vx_guard_count *count = __atomic_load_n(list_of_qp(cq, qp_num), __ATOMIC_ACQUIRE);

	while (count && !counts_for(count, qp_num))
		count = count->next;
	return count;
}

/* A completion that failed has no opcode. */
static bool may_be_of_a_send(enum ibv_wc_status status, unsigned int opcode)
{
	return status != IBV_WC_SUCCESS || !vx_is_of_a_receive(opcode);
}

static VX_COLD void note_failure(struct vx_guard_count *count)
{
	const uint32_t all = __atomic_load_n(&count->polled, __ATOMIC_RELAXED) + __atomic_load_n(&count->looked_at, __ATOMIC_RELAXED);

	if (!__atomic_load_n(&count->failed, __ATOMIC_RELAXED))
		__atomic_store_n(&count->failed, all, __ATOMIC_RELAXED);
}

/* One of the two counts of a QP, which one thread at a time adds to. */
static void count_one(struct vx_guard_count *count, uint32_t *done, enum ibv_wc_status status)
{
	__atomic_store_n(done, *done + 1, __ATOMIC_RELEASE);
	if (VX_SELDOM(status))
		note_failure(count);
}

/* In both that poll: a call takes as many instructions as one completion. */
static inline __attribute__((always_inline)) void count_polled(struct vx_guard_cq *cq, const struct ibv_wc *wc, int found)
{
	const struct ibv_wc *end = wc + found;
	struct vx_guard_count *count = NULL;

	for (; wc < end; wc++) {
		if (!may_be_of_a_send(wc->status, wc->opcode))
			continue;
		if (!count || !counts_for(count, wc->qp_num))
			count = find_count(cq, wc->qp_num);
		if (count)
			count_one(count, &count->polled, wc->status);
	}
}

/* ---- loops that are left without an end ---- */

static bool is_looking(const struct vx_guard_cq *cq)
{
	return vx_turn_is_mine(&cq->looking);
}

static VX_COLD int refuse_polls(const struct vx_guard_cq *cq, const char *call)
{
	return vx_fail(-EDEADLK, call, VX_NAME(vx_front_head(cq)->node),
		       "this thread has left the loop of vx_cq_start_poll() before it was at its end, and without vx_wc_end(), for which this would wait for ever");
}

bool vx_guard_cq_told(const struct vx_node *cq, int rc)
{
	return (rc == -EDEADLK || rc == -EINVAL) && vx_is_checked(cq);
}

/* Not of another thread's loop: that of this one was ended, as what it was over was to be closed. */
static void guard_end_poll(struct ibv_cq_ex *front)
{
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;

	if (VX_SELDOM(!is_looking(cq)))
		return;
	__atomic_store_n(&cq->looking, 0, __ATOMIC_RELAXED);
	ibv_end_poll(vx_front_next(front));
}

static VX_COLD int refuse_outside(const struct vx_guard_cq *cq)
{
	return vx_fail(-EINVAL, "vx_wc_next", VX_NAME(vx_front_head(cq)->node), "this thread is in no loop: that which vx_cq_start_poll() began was ended by "
		       "vx_wc_end(), or by vx_close()");
}

static bool guard_cq_inside(void *front, bool leave)
{
	const bool is = is_looking(front);

	if (is && leave)
		guard_end_poll(front);
	return is;
}

/* ---- counting ---- */

/* 0: somebody else is in a loop. */
static VX_COLD int poll_wrong(const struct vx_guard_cq *cq, int entries)
{
	if (is_looking(cq))
		return refuse_polls(cq, "vx_cq_poll");
	return entries >= 0 ? 0 : vx_fail(-EINVAL, "vx_cq_poll", VX_NAME(vx_front_head(cq)->node), "num_entries is %d, which there is no room for", entries);
}

/* The lock is held while the provider is asked: threads that poll the same CQ have to wait for each other there anyway. */
static inline int poll_and_count(struct ibv_cq *front, int entries, struct ibv_wc *wc, bool alone)
{
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;
	int found;

	if (VX_SELDOM(entries < 0 || __atomic_load_n(&cq->looking, __ATOMIC_RELAXED))) {
		found = poll_wrong(cq, entries);
		if (found)
			return found;
	}
	if (VX_SELDOM(!vx_turn_try(&cq->owner, alone)))
		vx_turn_wait(&cq->owner, alone);
	found = ibv_poll_cq(vx_front_next(front), entries, wc);
	if (found > 0)
		count_polled(cq, wc, found < entries ? found : entries);
	vx_turn_end(&cq->owner);
	return found;
}

static int guard_poll_cq(struct ibv_cq *front, int entries, struct ibv_wc *wc)
{
	return poll_and_count(front, entries, wc, false);
}

static int guard_poll_alone(struct ibv_cq *front, int entries, struct ibv_wc *wc)
{
	return poll_and_count(front, entries, wc, true);
}

static int count_looked_at(struct ibv_cq_ex *front, int rc)
{
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;
	struct ibv_cq_ex *next = vx_front_next(front);
	struct vx_guard_count *count;

	vx_front_show(front, next, rc);
	if (rc || !next->read_qp_num || !may_be_of_a_send(next->status, next->status ? 0 : ibv_wc_read_opcode(next)))
		return rc;
	count = find_count(cq, ibv_wc_read_qp_num(next));
	if (count)
		count_one(count, &count->looked_at, next->status);
	return rc;
}

/* Without the numbers of QPs nobody can be counted: refused as soon as somebody is to be, which vx_wc_fail() has words for. */
static bool is_blind(struct vx_guard_cq *cq, const struct ibv_cq_ex *next)
{
	return !next->read_qp_num && __atomic_load_n(&cq->counted, __ATOMIC_RELAXED);
}

/* The provider says which it has, where nobody knows what the CQ was made with. */
static bool is_made_for(const struct vx_guard_cq *cq, const struct vx_guard_read *read)
{
	const char *raw = vx_front_head(cq)->node->object.raw;
	void *pointer;

	if (cq->is_known)
		return !(read->flag & ~cq->wc_flags);
	memcpy(&pointer, raw + read->pointer, sizeof(pointer));
	return pointer;
}

static VX_COLD bool refuse_read(struct vx_guard_cq *cq, const struct vx_guard_read *read)
{
	if (cq->misread)
		return false;
	cq->misread = read;
	cq->misread_of = cq->front.cq.wr_id;
	return false;
}

bool vx_guard_may_read(struct ibv_cq_ex *front, const struct vx_guard_read *read)
{
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;

	return (is_made_for(cq, read) && read->statuses >> (front->status & 31) & 1) || refuse_read(cq, read);
}

/* As long as whoever calls is the only one to look at completions. */
static VX_COLD int tell_misread(struct vx_guard_cq *cq, const char *call)
{
	const struct vx_guard_read *read = cq->misread;
	const char *flag = vx_enum_name(vx_enum_find("ibv_create_cq_wc_flags"), (int64_t)read->flag);
	const struct vx_node *node = vx_front_head(cq)->node;

	cq->misread = NULL;
	if (!is_made_for(cq, read))
		return vx_fail(-EINVAL, call, VX_NAME(node), "%s() gave 0: the CQ was made without %s in .wc_flags", read->name, flag ? flag : "its bit");
	return vx_fail(-EINVAL, call, VX_NAME(node), "%s() gave 0 of the completion with wr_id = 0x%llx, which failed: only those that went well have it",
		       read->name, (unsigned long long)cq->misread_of);
}

static int guard_start_poll(struct ibv_cq_ex *front, struct ibv_poll_cq_attr *attr)
{
	struct ibv_cq_ex *next = vx_front_next(front);
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;
	int rc;

	if (VX_SELDOM(is_blind(cq, next)))
		return EOPNOTSUPP;
	if (VX_SELDOM(is_looking(cq)))
		return refuse_polls(cq, "vx_cq_start_poll");
	if (VX_SELDOM(cq->misread))
		return tell_misread(cq, "vx_cq_start_poll");
	rc = ibv_start_poll(next, attr);
	if (!rc)
		__atomic_store_n(&cq->looking, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
	return count_looked_at(front, rc);
}

static int guard_next_poll(struct ibv_cq_ex *front)
{
	struct vx_guard_cq *cq = (struct vx_guard_cq *)(void *)front;

	if (VX_SELDOM(!is_looking(cq)))
		return refuse_outside(cq);
	if (VX_SELDOM(cq->misread))
		return tell_misread(cq, "vx_wc_next");
	return count_looked_at(front, ibv_next_poll(vx_front_next(front)));
}

/* Of one that was adopted nobody knows. */
bool vx_is_plain_cq(const struct vx_node *cq)
{
	const struct vx_kept_cq *kept = vx_node_extra(cq);

	return kept->known && !kept->wc_flags;
}

bool vx_is_blind_cq(const struct vx_node *cq)
{
	const struct vx_kept_cq *kept = vx_node_extra(cq);

	return kept->known && kept->wc_flags && !(kept->wc_flags & IBV_WC_EX_WITH_QP_NUM);
}

static int refuse_start_poll(struct ibv_cq_ex *front, struct ibv_poll_cq_attr *attr)
{
	(void)front;
	(void)attr;
	return EOPNOTSUPP; /* which vx_wc_fail() has words for */
}

static void free_counts(void *front)
{
	struct vx_guard_cq *cq = front;
	struct vx_guard_count *count, *next;
	size_t i;

	for (i = 0; i < sizeof(cq->lists) / sizeof(cq->lists[0]); i++)
		for (count = cq->lists[i]; count; count = next) {
			next = count->next;
			free(count);
		}
}

void vx_guard_cq_leave_alone(struct vx_guard_cq *cq)
{
	cq->alone = true;
	cq->front.context.ops.poll_cq = guard_poll_alone;
}

struct vx_guard_cq *vx_guard_cq_new(struct vx_node *cq, const char *call)
{
	struct vx_guard_cq *guard = vx_front_cq_new(cq->object.front, sizeof(*guard), call);
	const struct vx_kept_cq *kept = vx_node_extra(cq);

	if (!guard)
		return NULL;
	guard->is_known = kept->known;
	guard->wc_flags = kept->wc_flags;
	vx_guard_cq_reads(&guard->front.cq);
	guard->front.cq.start_poll = vx_is_plain_cq(cq) ? refuse_start_poll : guard_start_poll;
	guard->front.cq.next_poll = guard_next_poll;
	guard->front.cq.end_poll = guard_end_poll;
	guard->front.context.ops.poll_cq = guard_poll_cq;
	vx_front_head(guard)->what = VX_FRONT_CHECKS;
	vx_front_head(guard)->end = free_counts;
	vx_front_head(guard)->inside = guard_cq_inside;
	if (vx_is_of_one_thread(cq))
		vx_guard_cq_leave_alone(guard);
	vx_front_put(cq, guard);
	return guard;
}

/* ---- those that are counted ---- */

uint32_t vx_guard_counted(const struct vx_guard_qp *guard)
{
	const struct vx_guard_count *count = guard->count;

	return count ? __atomic_load_n(&count->polled, __ATOMIC_ACQUIRE) + __atomic_load_n(&count->looked_at, __ATOMIC_ACQUIRE) : 0;
}

static struct vx_guard_count *take_unused(struct vx_guard_count *list, uint32_t qp_num)
{
	uint32_t is;

	for (; list; list = list->next) {
		is = VX_COUNTS_NOBODY;
		if (__atomic_compare_exchange_n(&list->qp_num, &is, qp_num, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return list;
	}
	return NULL;
}

static struct vx_guard_count *add_count(struct vx_guard_count **list, uint32_t qp_num)
{
	struct vx_guard_count *count = calloc(1, sizeof(*count));

	if (!count)
		return NULL;
	count->qp_num = qp_num;
	count->next = __atomic_load_n(list, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(list, &count->next, count, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return count;
}

int vx_guard_count_begin(struct vx_guard_qp *guard, struct vx_guard_cq *cq, const char *call)
{
	struct vx_guard_count **list = list_of_qp(cq, guard->raw->qp_num);

	guard->count = take_unused(__atomic_load_n(list, __ATOMIC_ACQUIRE), guard->raw->qp_num);
	if (!guard->count)
		guard->count = add_count(list, guard->raw->qp_num);
	if (!guard->count)
		return vx_fail(-ENOMEM, call, NULL, NULL);
	guard->cq = cq;
	__atomic_fetch_add(&cq->counted, 1, __ATOMIC_RELAXED);
	return 0;
}

void vx_guard_count_end(void *front)
{
	struct vx_guard_qp *guard = front;

	if (!guard->count)
		return;
	__atomic_store_n(&guard->count->qp_num, VX_COUNTS_NOBODY, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&guard->cq->counted, 1, __ATOMIC_RELAXED);
}
