/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Posts to what is checked: each request of a list is looked at, and those before the first that is wrong go on, as ibv_post_send(3) has
 * it. They are copied for that, as threads may share a list. What a guard itself tells is negative.
 */

#include <errno.h>

#include <verbsx/enums.h>

#include "error/fail.h"
#include "guard.h"

/* ---- to send ---- */

/* A DCI goes where its builders say; what is done here goes nowhere. */
static bool address_wrong(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct ibv_send_wr *wr)
{
	const enum ibv_qp_type type = guard->raw->qp_type;
	const char *name;

	if (type == IBV_QPT_DRIVER && step->lacks)
		return vx_says(guard->why, "a DCI has no address of its own, and a post has no place for one: vx_wr_start(), vx_mlx5_wr_set_dc_addr()");
	if (vx_posted_address_wrong(guard, wr))
		return true;
	if (type == IBV_QPT_UD || wr->tso.hdr != (const void *)&wr->wr.ud)
		return false;
	name = vx_ibv_qp_type_name(type); /* only posts in one line say so: others may have anything there */
	return vx_says(guard->why, "a QP of type %s has its address, and vx_qp_post_send_to() and its like give one: vx_qp_post_send_one()", name ? name : "that");
}

/* 0, or what is wrong. */
static int look_at_send(struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	const struct vx_guard_step *step = vx_step_of(wr->opcode);
	const bool has_checksums = !(guard->no_flags & IBV_SEND_IP_CSUM);

	if (vx_send_wrong(guard->why, guard->raw, &guard->cap, wr) ||
	    vx_flags_wrong(guard->why, "send_flags", wr->send_flags, has_checksums, guard->raw->qp_type) || address_wrong(guard, step, wr) ||
	    vx_guard_memory_wrong(guard, step, wr->sg_list, wr->num_sge, wr->send_flags & IBV_SEND_INLINE))
		return -EINVAL;
	return vx_guard_finds_room(guard, 1) ? 0 : -EAGAIN;
}

/* Those before the one that is wrong. */
static int send_before(struct vx_guard_qp *guard, struct ibv_send_wr *wr, const struct ibv_send_wr *end, struct ibv_send_wr **bad_wr)
{
	struct ibv_send_wr copy, *bad;
	int rc = 0;

	for (; wr != end && !rc; wr = wr->next) {
		copy = *wr;
		copy.next = NULL;
		*bad_wr = wr;
		rc = ibv_post_send(&vx_guard_next(guard)->qp_base, &copy, &bad);
	}
	return rc;
}

static void count_send(struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	vx_guard_count_request(guard, 1, wr->wr_id, (uint32_t)wr->opcode | VX_GUARD_POSTED, wr->send_flags);
}

/* Of a list, those before the one that was refused have been posted; all, where that is none of them. */
static void count_again(struct vx_guard_qp *guard, const struct ibv_send_wr *wr, const struct ibv_send_wr *bad)
{
	guard->posted = guard->before_posted;
	guard->marks = guard->before_marks;
	for (; wr && wr != bad; wr = wr->next)
		count_send(guard, wr);
}

static int send_list(struct vx_guard_qp *guard, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct ibv_send_wr *one = wr, *bad = wr;
	int rc, code = wr && vx_queue_wrong(guard->why, guard->raw, true) ? -EINVAL : 0;

	vx_guard_begin_posts(guard);
	for (; one && !code; one = code ? one : one->next) {
		code = look_at_send(guard, one);
		if (!code)
			count_send(guard, one);
	}
	if (code && vx_ring_wrong(guard->why, wr)) { /* where it was full, it may have come round */
		code = -EINVAL;
		one = wr;
		count_again(guard, wr, wr);
	}
	rc = code ? send_before(guard, wr, one, &bad) : ibv_post_send(&vx_guard_next(guard)->qp_base, wr, &bad);
	if (rc) {
		count_again(guard, wr, bad);
		*bad_wr = bad;
		return rc < 0 ? -vx_code_returned(rc) : rc;
	}
	if (!code)
		return 0;
	*bad_wr = one;
	if (code == -EAGAIN)
		return vx_fail_checked_full(vx_front_head(guard)->node, wr, one, guard->cap.max_send_wr);
	return vx_fail_request(code, "ibv_post_send", vx_front_head(guard)->node, wr, one, vx_ibv_wr_opcode_name(one->opcode), guard->why);
}

int vx_guard_post_send(struct ibv_qp *front, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct vx_guard_qp *guard = (struct vx_guard_qp *)(void *)front;
	const char *why;
	int rc;

	if (!vx_guard_lock(guard)) {
		*bad_wr = wr;
		rc = vx_guard_locked_out(guard, &why);
		return vx_fail_request(rc, "ibv_post_send", vx_front_head(guard)->node, wr, wr, NULL, why);
	}
	rc = send_list(guard, wr, bad_wr);
	vx_guard_unlock(guard);
	return rc;
}

/* ---- to receive ---- */

/* What receives are posted to. */
struct receiver {
	const char *call, *made;	/* as vx_entries_wrong() has it */
	uint32_t max_sge;
	const struct vx_node *node;
	const struct ibv_pd *pd;
	struct ibv_qp *qp;	/* the next, or NULL */
	struct ibv_srq *srq;
	bool is_datagram;
};

static int receive_next(const struct receiver *to, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return to->qp ? ibv_post_recv(to->qp, wr, bad_wr) : ibv_post_srq_recv(to->srq, wr, bad_wr);
}

static bool lacks_headroom(char *why, const struct receiver *to, const struct ibv_recv_wr *wr)
{
	const unsigned long long bytes = to->is_datagram ? vx_bytes_of(wr->sg_list, wr->num_sge) : UINT64_MAX;

	return bytes < VX_BEFORE_DATAGRAM && vx_says(why, "it has %llu bytes, and a datagram comes behind %d for a GRH", bytes, VX_BEFORE_DATAGRAM);
}

static bool receive_wrong(char *why, const struct receiver *to, struct vx_seen *seen, const struct ibv_recv_wr *wr)
{
	return vx_entries_wrong(why, wr->sg_list, wr->num_sge, to->made, to->max_sge) || lacks_headroom(why, to, wr) ||
	       vx_regions_wrong(why, seen, to->pd, wr->sg_list, wr->num_sge, true);
}

static int receive_before(const struct receiver *to, struct ibv_recv_wr *wr, const struct ibv_recv_wr *end, struct ibv_recv_wr **bad_wr)
{
	struct ibv_recv_wr copy, *bad;
	int rc = 0;

	for (; wr != end && !rc; wr = wr->next) {
		copy = *wr;
		copy.next = NULL;
		*bad_wr = wr;
		rc = receive_next(to, &copy, &bad);
	}
	return rc;
}

static int receive_list(const struct receiver *to, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr, char *why, bool is_wrong)
{
	struct vx_seen seen = { 0 };
	struct ibv_recv_wr *one = wr, *bad = wr;
	int rc;

	for (; one && !is_wrong; one = is_wrong ? one : one->next)
		is_wrong = receive_wrong(why, to, &seen, one);
	rc = one ? receive_before(to, wr, one, &bad) : receive_next(to, wr, &bad);
	if (rc) {
		*bad_wr = bad;
		return rc < 0 ? -vx_code_returned(rc) : rc;
	}
	if (!one)
		return 0;
	*bad_wr = one;
	return vx_fail_request(-EINVAL, to->call, to->node, wr, one, NULL, why);
}

/* Such as one of XRC. Also of requests without entries: libmlx5 follows a queue that is not there. */
static bool has_no_receives(char *why, const struct vx_guard_qp *guard)
{
	return !guard->cap.max_recv_wr && vx_says(why, "the receive queue was made for no requests (max_recv_wr = 0)");
}

static bool receives_are_ring(char *why, const struct ibv_recv_wr *wr)
{
	return wr && wr->next && vx_ring_wrong(why, wr);
}

/* Whoever has one of these identities may be a receive, of so many. */
static void know_receives(struct vx_guard_qp *guard, const struct ibv_recv_wr *wr)
{
	uint32_t count = __atomic_load_n(&guard->receives, __ATOMIC_RELAXED);

	for (; wr; wr = wr->next) {
		count += count != UINT32_MAX;
		if (wr->wr_id < __atomic_load_n(&guard->first_receive, __ATOMIC_RELAXED))
			__atomic_store_n(&guard->first_receive, wr->wr_id, __ATOMIC_RELAXED);
		if (wr->wr_id > __atomic_load_n(&guard->last_receive, __ATOMIC_RELAXED))
			__atomic_store_n(&guard->last_receive, wr->wr_id, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&guard->receives, count, __ATOMIC_RELAXED);
}

int vx_guard_post_recv(struct ibv_qp *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct vx_guard_qp *guard = (struct vx_guard_qp *)(void *)front;
	const struct receiver to = { "ibv_post_recv", "it was made with max_recv_sge", guard->cap.max_recv_sge, vx_front_head(front)->node, guard->raw->pd,
				     &vx_guard_next(guard)->qp_base, NULL, guard->raw->qp_type == IBV_QPT_UD };
	char why[VX_LONGEST_REFUSAL];
	const bool is_wrong = vx_queue_wrong(why, guard->raw, false) || has_no_receives(why, guard) || receives_are_ring(why, wr);

	if (!is_wrong)
		know_receives(guard, wr);
	return receive_list(&to, wr, bad_wr, why, is_wrong);
}

int vx_guard_post_srq_recv(struct ibv_srq *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	const struct vx_guard_srq *guard = (const struct vx_guard_srq *)(const void *)front;
	const struct receiver to = { "ibv_post_srq_recv", "it was made with max_sge", guard->max_sge, vx_front_head(front)->node, guard->pd, NULL, vx_front_next(front), false };
	char why[VX_LONGEST_REFUSAL];

	return receive_list(&to, wr, bad_wr, why, receives_are_ring(why, wr));
}
