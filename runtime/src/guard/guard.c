/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Lists of requests of a checked QP: from start to complete, and what builders and setters ask before they go on. */

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

/* Nothing is to be begun in a QP that cannot send, or has no builders. */
static VX_COLD void refuse_all(struct vx_guard_qp *guard)
{
	char why[VX_LONGEST_REFUSAL];

	if (!guard->extended)
		vx_guard_refuses(guard, -EOPNOTSUPP, "the QP was made without .send_ops_flags, so it has no builders: vx_qp_post_send()");
	else if (vx_queue_wrong(why, guard->raw, true))
		vx_guard_refuses(guard, -EINVAL, "%s", why);
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

void vx_guard_begin_list(struct ibv_qp_ex *front)
{
	begin_list(vx_guard_of(front), false, true);
}

void vx_guard_begin_alone(struct ibv_qp_ex *front)
{
	begin_list(vx_guard_of(front), true, true);
}

void vx_guard_begin_plain(struct ibv_qp_ex *front)
{
	begin_list(vx_guard_of(front), vx_guard_of(front)->alone, false);
}

static void take_list_back(struct vx_guard_qp *guard)
{
	guard->posted = guard->before_posted;
	guard->marks = guard->before_marks;
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
	take_list_back(guard);
	guard->lacks = 0;
	guard->code = 0;
	end_list(guard);
}

static VX_COLD int fail_complete(struct vx_guard_qp *guard)
{
	const char *outside = __atomic_exchange_n(&guard->outside, NULL, __ATOMIC_RELAXED);
	int code;

	if (!guard->code && guard->lacks)
		vx_guard_lacking(guard);
	if (!guard->code && outside)
		vx_guard_refuses(guard, -EINVAL, "%s() was called before vx_wr_start() or after vx_wr_complete()%s", outside,
				 guard->alone ? ", or by another thread, though the thread domain of the PD promises that there is none" : "");
	code = vx_fail_text(guard->code, "vx_wr_complete", VX_NAME(vx_front_head(guard)->node), guard->why);
	forget_list(guard);
	return code;
}

static VX_COLD int fail_without_list(const struct vx_guard_qp *guard)
{
	return vx_fail(-EINVAL, "vx_wr_complete", VX_NAME(vx_front_head(guard)->node), "no list was begun: vx_wr_start()");
}

/* The next has refused it. What the guard itself tells is negative. */
static VX_COLD int fail_refused(struct vx_guard_qp *guard, int rc)
{
	take_list_back(guard);
	end_list(guard);
	return rc < 0 ? -vx_code_returned(rc) : rc;
}

int vx_guard_complete(struct ibv_qp_ex *front)
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

void vx_guard_abort(struct ibv_qp_ex *front)
{
	struct vx_guard_qp *guard = vx_guard_of(front);

	if (!vx_guard_is_mine(guard)) {
		vx_guard_outside(guard, "vx_wr_abort");
		return;
	}
	forget_list(guard);
}

bool vx_guard_qp_inside(void *front, bool leave)
{
	const bool is = vx_guard_is_mine(front);

	if (is && leave)
		forget_list(front);
	return is;
}

/* ---- builders ---- */

bool vx_guard_begins(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint32_t setters)
{
	if (!vx_guard_is_mine(guard))
		return vx_guard_outside(guard, step->name);
	if (guard->lacks)
		return vx_guard_lacking(guard);
	if (guard->code)
		return false;
	if (!vx_guard_finds_room(guard, step->slots) || !(guard->ops & step->op))
		return vx_guard_no_builder(guard, step);
	if (guard->qp.wr_flags & guard->no_flags)
		return vx_guard_flags(guard, step);
	vx_guard_begin_request(guard, step);
	guard->setters = setters;
	guard->given = 0;
	if (step->lacks & VX_LACKS_SETTERS && !setters)
		vx_guard_given(guard, VX_LACKS_SETTERS);
	return true;
}

/* ---- setters ---- */

static bool may_give(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	if (!vx_guard_is_mine(guard))
		return vx_guard_outside(guard, step->name);
	return (guard->lacks & step->lacks && step->types & VX_WR_TYPE(guard->raw->qp_type)) || vx_guard_no_setter(guard, step);
}

static bool gives_now(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	vx_guard_given(guard, step->lacks);
	return true;
}

/* Of those that are counted, each once. */
static bool gives_setter(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	const uint32_t bit = (uint32_t)(step->op);

	if (guard->given & bit)
		return vx_guard_wrong(guard, -EINVAL, "has %s() twice, or another that says the same", step->name);
	guard->given |= bit;
	guard->setters--;
	if (!guard->setters)
		vx_guard_given(guard, VX_LACKS_SETTERS);
	return true;
}

bool vx_guard_gives(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	if (!may_give(guard, step))
		return false;
	return step->lacks & VX_LACKS_SETTERS ? gives_setter(guard, step) : gives_now(guard, step);
}

static bool has_number(struct vx_guard_qp *guard, uint32_t number)
{
	return number <= VX_LARGEST_QPN ||
	       vx_guard_wrong(guard, -EINVAL, "has 0x%x as the number of its peer, and the most is 0xffffff", number);
}

bool vx_guard_srqn(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint32_t number)
{
	return may_give(guard, step) && has_number(guard, number) && gives_now(guard, step);
}

bool vx_guard_peer(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct ibv_ah *ah, uint32_t number)
{
	enum vx_given given;

	if (!may_give(guard, step) || !has_number(guard, number))
		return false;
	if (!ah)
		return vx_guard_wrong(guard, -EINVAL, "has no AH");
	given = vx_look_at_peer(&guard->peers, guard->raw->pd, ah);
	if (given)
		return vx_guard_wrong(guard, -EINVAL, "has an AH %s", vx_given_words(given));
	return gives_now(guard, step);
}

/* The device takes a number beyond those for whatever it likes: nobody says so. */
bool vx_guard_stream(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct ibv_ah *ah, uint32_t number, uint16_t stream)
{
	if (guard->streams && stream >= guard->streams && may_give(guard, step))
		return guard->streams == 1 ? vx_guard_wrong(guard, -EINVAL, "has stream_id = %u, and the DCI was made without dci_streams: it has one stream, 0", stream) :
					     vx_guard_wrong(guard, -EINVAL, "has stream_id = %u, and the DCI was made with %u streams, from 0 on", stream, guard->streams);
	return vx_guard_peer(guard, step, ah, number);
}

/* What the device itself cuts into packets is no message. */
static bool is_message(const struct vx_guard_qp *guard)
{
	return !(guard->step->op & IBV_QP_EX_WITH_TSO);
}

/* By how long the data are, in memory or not. */
static bool has_length(struct vx_guard_qp *guard, uint64_t length)
{
	if (guard->step->is_atomic && length != 8)
		return vx_guard_wrong(guard, -EINVAL, "has %llu bytes, and an atomic operation has 8", (unsigned long long)length);
	return length <= guard->most || !is_message(guard) || vx_guard_is_short(guard, length) || vx_guard_too_long(guard, length);
}

static bool has_entry(struct vx_guard_qp *guard, size_t at, const struct ibv_sge *sge)
{
	char why[VX_LONGEST_REFUSAL];

	return !vx_region_wrong(&guard->seen, guard->raw->pd, sge, guard->step->writes, why) ||
	       vx_guard_wrong(guard, -EINVAL, "has an entry, number %zu, that %s", at + 1, why);
}

bool vx_guard_list(struct vx_guard_qp *guard, const struct vx_guard_step *step, size_t count, const struct ibv_sge *list)
{
	uint64_t length = 0;
	size_t i;

	if (!may_give(guard, step))
		return false;
	if (count && !list)
		return vx_guard_wrong(guard, -EINVAL, "has %zu entries, and the list of them is NULL", count);
	if (count > guard->cap.max_send_sge)
		return vx_guard_wrong(guard, -EINVAL, "has %zu entries, and the QP was made with max_send_sge = %u", count, guard->cap.max_send_sge);
	for (i = 0; i < count; i++) {
		if (!has_entry(guard, i, &list[i]))
			return false;
		length += list[i].length;
	}
	return has_length(guard, length) && gives_now(guard, step);
}

/* Of a longer region, what is around an entry: the next may lie before it or behind. */
static void remember_part(struct vx_guard_qp *guard, uint64_t addr)
{
	struct vx_seen *part = &guard->part;
	const uint64_t before = addr - guard->seen.start;

	*part = guard->seen;
	if (part->length <= guard->most)
		return;
	if (before > guard->most / 2) {
		part->start += before - guard->most / 2;
		part->length -= before - guard->most / 2;
	}
	if (part->length > guard->most)
		part->length = guard->most;
}

bool vx_guard_sge(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { addr, length, lkey };

	if (!vx_guard_list(guard, step, 1, &sge))
		return false;
	if (vx_region_is_seen(&guard->seen, lkey, addr, length))
		remember_part(guard, addr);
	return true;
}

static bool has_inline(struct vx_guard_qp *guard, size_t length)
{
	if (!guard->step->takes_inline)
		return vx_guard_wrong(guard, -EINVAL, "takes no data inline, as it reads into them: vx_wr_set_sge()");
	if (length > guard->cap.max_inline_data)
		return vx_guard_wrong(guard, -EINVAL, "has %zu bytes inline, and the QP was made with max_inline_data = %u", length,
				      guard->cap.max_inline_data);
	return has_length(guard, length);
}

bool vx_guard_buffers(struct vx_guard_qp *guard, const struct vx_guard_step *step, size_t count, const struct ibv_data_buf *list)
{
	size_t length = 0, i;

	if (!may_give(guard, step))
		return false;
	if (count && !list)
		return vx_guard_wrong(guard, -EINVAL, "has %zu pieces inline, and the list of them is NULL", count);
	for (i = 0; i < count; i++) {
		if (list[i].length && !list[i].addr)
			return vx_guard_wrong(guard, -EINVAL, "has %zu bytes inline, and where they are is NULL", list[i].length);
		if (__builtin_add_overflow(length, list[i].length, &length))
			length = SIZE_MAX;
	}
	return has_inline(guard, length) && gives_now(guard, step);
}

bool vx_guard_inline(struct vx_guard_qp *guard, const struct vx_guard_step *step, void *addr, size_t length)
{
	const struct ibv_data_buf buffer = { addr, length };

	return vx_guard_buffers(guard, step, 1, &buffer);
}
