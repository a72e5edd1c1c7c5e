/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Lists of requests of a checked QP: from start to complete. */

#include <errno.h>
#include <sched.h>

#include "error/fail.h"
#include "guard.h"

/* ---- the lock ---- */

#define SPINS 100 /* before the processor is left to whoever has the lock */

bool vx_turn_wait(uintptr_t *owner, bool alone)
{
	int i = 0;

	while (!vx_turn_try(owner, alone)) {
		if (vx_turn_is_mine(owner))
			return false;
		if (++i % SPINS == 0)
			sched_yield();
	}
	return true;
}

/* Nobody waits for who has broken the promise. */
static inline bool take_lock(struct vx_guard_qp *guard, bool alone)
{
	return VX_USUALLY(vx_turn_try(&guard->owner, alone)) || (!alone && vx_turn_wait(&guard->owner, false));
}

bool vx_guard_lock(struct vx_guard_qp *guard)
{
	return take_lock(guard, guard->alone);
}

int vx_guard_locked_out(const struct vx_guard_qp *guard, const char **why)
{
	const bool is_mine = vx_guard_is_mine(guard);

	*why = is_mine ? "it was called between vx_wr_start() and vx_wr_complete(), where it would wait for ever" :
			 "another thread is at it, and the thread domain of its PD promises that only one is";
	return is_mine ? -EDEADLK : -EBUSY;
}

/* ---- slots ---- */

static void raise_limit(struct vx_guard_qp *guard, uint32_t freed)
{
	if ((int32_t)(freed + guard->cap.max_send_wr - guard->limit) > 0)
		guard->limit = freed + guard->cap.max_send_wr;
}

/*
 * Of completions that failed, how many may be of receives, which free no slot. Only of RC, where nothing but a reset leads on: a QP of another
 * type may go on, and what is not free then would never be.
 */
static VX_COLD uint32_t failed_receives(const struct vx_guard_qp *guard)
{
	const uint32_t receives = __atomic_load_n(&guard->receives, __ATOMIC_RELAXED), most = guard->cap.max_recv_wr;

	if (guard->raw->qp_type != IBV_QPT_RC || guard->raw->recv_cq != guard->raw->send_cq || !__atomic_load_n(&guard->count->failed, __ATOMIC_RELAXED))
		return 0;
	return receives < most ? receives : most;
}

/*
 * More may have completed than is known to be signaled: where requests failed, each has a completion, receives cannot be told, and some
 * providers leave completions of the life before a reset. All is let pass then, unless it may have been receives, which tell nothing of what
 * was posted since; and what was too many is not counted again.
 */
static VX_COLD uint32_t freed_by_surplus(struct vx_guard_qp *guard, uint32_t more)
{
	guard->done_before += more;
	guard->surplus += more;
	return guard->surplus > failed_receives(guard) ? guard->before_posted : guard->mark[(guard->before_marks - 1) & guard->mask];
}

void vx_guard_refill(struct vx_guard_qp *guard)
{
	const uint32_t done = vx_guard_counted(guard) - guard->done_before, more = done - guard->before_marks;

	if (!guard->count) {
		raise_limit(guard, guard->before_posted);
	} else if ((int32_t)more > 0) {
		raise_limit(guard, freed_by_surplus(guard, more));
	} else {
		raise_limit(guard, guard->mark[(done - 1) & guard->mask]);
	}
}

bool vx_guard_finds_room(struct vx_guard_qp *guard, uint32_t slots)
{
	if (!vx_guard_has_room(guard, slots))
		vx_guard_refill(guard);
	return vx_guard_has_room(guard, slots);
}

/* ---- a list ---- */

bool vx_guard_latch(struct vx_guard_qp *guard, int code)
{
	guard->code = code;
	guard->open = 0;
	guard->lacks = 0;
	return false;
}

void vx_guard_refuses(struct vx_guard_qp *guard, int code, const char *why)
{
	if (guard->code)
		return;
	guard->index = 0;
	vx_says(guard->why, "%s", why);
	vx_guard_latch(guard, code);
}

bool vx_guard_outside(struct vx_guard_qp *guard, const char *name)
{
	const char *none = NULL;

	__atomic_compare_exchange_n(&guard->outside, &none, name, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return false;
}

/* Nothing is to be begun in a QP that cannot send, or has no builders. */
static VX_COLD void refuse_all(struct vx_guard_qp *guard)
{
	if (!guard->extended)
		vx_guard_refuses(guard, -EOPNOTSUPP, "the QP was made without .send_ops_flags, so it has no builders: vx_qp_post_send()");
	else if (vx_queue_wrong(guard->why, guard->raw, true))
		vx_guard_latch(guard, -EINVAL);
}

/* The list of another thread is told of by its own vx_wr_complete(), which posts nothing of it either. */
static VX_COLD void refuse_second(struct vx_guard_qp *guard)
{
	if (vx_guard_is_mine(guard))
		vx_guard_refuses(guard, -EDEADLK, "vx_wr_start() was called a second time before vx_wr_complete(), which would wait for ever");
	else
		vx_guard_outside(guard, "vx_wr_start");
}

/* Of QPs that threads share, of others, and of those without builders: which it is, is known when they are made. */
static inline void begin_list(struct vx_guard_qp *guard, bool alone, bool extended)
{
	if (VX_SELDOM(!take_lock(guard, alone))) {
		refuse_second(guard);
		return;
	}
	guard->index = 0;
	guard->open = guard->ops;
	vx_guard_begin_posts(guard);
	guard->began = extended && (VX_USUALLY(guard->raw->state >= IBV_QPS_RTS) || !vx_sends_too_early(guard->raw));
	if (guard->began)
		ibv_wr_start(vx_guard_next(guard));
	else
		refuse_all(guard);
}

static void guard_begin_list(struct ibv_qp_ex *front)
{
	begin_list(vx_guard_of(front), false, true);
}

static void guard_begin_alone(struct ibv_qp_ex *front)
{
	begin_list(vx_guard_of(front), true, true);
}

static void guard_begin_plain(struct ibv_qp_ex *front)
{
	begin_list(vx_guard_of(front), vx_guard_of(front)->alone, false);
}

static void end_list(struct vx_guard_qp *guard)
{
	guard->open = 0;
	vx_guard_unlock(guard);
}

/* Nothing of the list was posted, and the next knows nothing of it. */
static void forget_list(struct vx_guard_qp *guard)
{
	if (guard->began)
		ibv_wr_abort(vx_guard_next(guard));
	vx_guard_take_posts_back(guard);
	guard->lacks = 0;
	guard->code = 0;
	guard->setter = NULL;
	end_list(guard);
}

/* As the next has been told of the request: the program may have gone on to another. */
static int tell_wrong(const struct vx_guard_qp *guard)
{
	const struct vx_guard_step *setter = guard->setter;
	const struct vx_node *node = vx_front_head(guard)->node;

	if (!guard->index)
		return vx_fail_text(guard->code, "vx_wr_complete", VX_NAME(node), guard->why);
	return vx_fail(guard->code, "vx_wr_complete", VX_NAME(node), "request %u (%s, wr_id = 0x%llx): %s%s%s%s", guard->index, guard->step->name,
		       (unsigned long long)vx_guard_next(guard)->wr_id, setter ? "it has " : "", setter ? setter->name : "",
		       setter ? "(), of which " : "", guard->why);
}

static VX_COLD int fail_complete(struct vx_guard_qp *guard)
{
	const char *outside = __atomic_exchange_n(&guard->outside, NULL, __ATOMIC_RELAXED);
	int code;

	if (!guard->code && guard->lacks)
		vx_guard_lacking(guard);
	if (!guard->code) {
		guard->index = 0;
		guard->code = -EINVAL;
		vx_says(guard->why, "%s() was called before vx_wr_start() or after vx_wr_complete()%s", outside,
			guard->alone ? ", or by another thread, though the thread domain of the PD promises that there is none" : "");
	}
	code = tell_wrong(guard);
	forget_list(guard);
	return code;
}

static VX_COLD int fail_without_list(const struct vx_guard_qp *guard)
{
	return vx_fail(-EINVAL, "vx_wr_complete", VX_NAME(vx_front_head(guard)->node), "no list was begun: vx_wr_start()");
}

/* The next has refused it. */
static VX_COLD int fail_refused(struct vx_guard_qp *guard, int rc)
{
	vx_guard_take_posts_back(guard);
	end_list(guard);
	return vx_guard_passed(rc);
}

static int guard_complete(struct ibv_qp_ex *front)
{
	struct vx_guard_qp *guard = vx_guard_of(front);
	int rc;

	if (VX_SELDOM(!vx_guard_is_mine(guard)))
		return fail_without_list(guard);
	if (VX_SELDOM((uint32_t)guard->code | guard->lacks | (uintptr_t)__atomic_load_n(&guard->outside, __ATOMIC_RELAXED)))
		return fail_complete(guard);
	rc = ibv_wr_complete(vx_guard_next(guard));
	if (VX_SELDOM(rc))
		return fail_refused(guard, rc);
	end_list(guard);
	return 0;
}

static void guard_abort(struct ibv_qp_ex *front)
{
	struct vx_guard_qp *guard = vx_guard_of(front);

	if (!vx_guard_is_mine(guard)) {
		vx_guard_outside(guard, "vx_wr_abort");
		return;
	}
	forget_list(guard);
}

static bool guard_qp_inside(void *front, bool leave)
{
	const bool is = vx_guard_is_mine(front);

	if (is && leave)
		forget_list(front);
	return is;
}

void vx_guard_take_lists(struct vx_guard_qp *guard)
{
	struct ibv_qp_ex *front = &guard->front.qp;

	front->wr_start = !guard->extended ? guard_begin_plain : guard->alone ? guard_begin_alone : guard_begin_list;
	front->wr_complete = guard_complete;
	front->wr_abort = guard_abort;
	vx_front_head(guard)->inside = guard_qp_inside;
	vx_guard_steps(front);
}
