/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Posts to what is checked: each request of a list is looked at, and those before the first that is wrong go on, as ibv_post_send(3) has
 * it. They are copied for that, as threads may share a list. What a guard itself tells is negative.
 */

#include <errno.h>
#include <string.h>

#include <verbsx/enums.h>

#include "error/fail.h"
#include "guard.h"

/* What one is posted to. */
struct target {
	const char *call;
	const struct vx_node *node;
	struct vx_guard_qp *guard;	/* NULL: it is an SRQ */
	struct ibv_qp *qp;		/* the next, or srq */
	struct ibv_srq *srq;
	bool sends;
	char *why;
	/* of what receives */
	const struct ibv_pd *pd;
	const char *made;		/* as vx_entries_wrong() has it */
	uint32_t max_sge;
	struct vx_seen seen;
};

/* ---- to send ---- */

/* A DCI goes where its builders say; what is done here goes nowhere. */
static bool address_wrong(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct ibv_send_wr *wr)
{
	const enum ibv_qp_type type = guard->raw->qp_type;
	const char *name;

	if (type == IBV_QPT_DRIVER && step->lacks)
		return vx_says(guard->why, "a DCI has no address of its own, and a post has no place for one: vx_wr_start(), vx_mlx5_wr_set_dc_addr()");
	if (step->lacks && vx_posted_address_wrong(guard, wr))
		return true;
	if (type == IBV_QPT_UD || wr->tso.hdr != (const void *)&wr->wr.ud)
		return false;
	name = vx_ibv_qp_type_name(type); /* only posts in one line say so: others may have anything there */
	return vx_says(guard->why, "a QP of type %s has its address, and vx_qp_post_send_to() and its like give one: vx_qp_post_send_one()", name ? name : "that");
}

static void count_send(struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	vx_guard_count_request(guard, 1, wr->wr_id, (uint32_t)wr->opcode | VX_GUARD_POSTED, wr->send_flags);
}

static int look_at_send(struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	const struct vx_guard_step *step = vx_step_of(wr->opcode);
	const bool has_checksums = !(guard->no_flags & IBV_SEND_IP_CSUM);

	if (vx_send_wrong(guard->why, guard->raw, &guard->cap, wr, has_checksums) || address_wrong(guard, step, wr) ||
	    vx_guard_memory_wrong(guard, step, wr->sg_list, wr->num_sge, wr->send_flags & IBV_SEND_INLINE))
		return -EINVAL;
	if (!vx_guard_finds_room(guard, 1))
		return -EAGAIN;
	count_send(guard, wr);
	return 0;
}

/* Of a list, those before the one that was refused have been posted; all, where that is none of them. */
static void count_again(struct vx_guard_qp *guard, const struct ibv_send_wr *wr, const struct ibv_send_wr *bad)
{
	vx_guard_take_posts_back(guard);
	for (; wr && wr != bad; wr = wr->next)
		count_send(guard, wr);
}

/* ---- to receive ---- */

static bool lacks_headroom(const struct target *to, const struct ibv_recv_wr *wr)
{
	const bool is_datagram = to->guard && to->guard->raw->qp_type == IBV_QPT_UD;
	const unsigned long long bytes = is_datagram ? vx_bytes_of(wr->sg_list, wr->num_sge) : UINT64_MAX;

	return bytes < VX_BEFORE_DATAGRAM && vx_says(to->why, "it has %llu bytes, and a datagram comes behind %d for a GRH", bytes, VX_BEFORE_DATAGRAM);
}

/* Whoever has one of these identities may be a receive, of so many. */
static void count_receive(struct vx_guard_qp *guard, uint64_t wr_id)
{
	const uint32_t count = __atomic_load_n(&guard->receives, __ATOMIC_RELAXED);

	if (wr_id < __atomic_load_n(&guard->first_receive, __ATOMIC_RELAXED))
		__atomic_store_n(&guard->first_receive, wr_id, __ATOMIC_RELAXED);
	if (wr_id > __atomic_load_n(&guard->last_receive, __ATOMIC_RELAXED))
		__atomic_store_n(&guard->last_receive, wr_id, __ATOMIC_RELAXED);
	__atomic_store_n(&guard->receives, count + (count != UINT32_MAX), __ATOMIC_RELAXED);
}

static int look_at_receive(struct target *to, const struct ibv_recv_wr *wr)
{
	if (vx_entries_wrong(to->why, wr->sg_list, wr->num_sge, to->made, to->max_sge) || lacks_headroom(to, wr) ||
	    vx_regions_wrong(to->why, &to->seen, to->pd, wr->sg_list, wr->num_sge, true))
		return -EINVAL;
	if (to->guard)
		count_receive(to->guard, wr->wr_id);
	return 0;
}

/* A queue for none is such as one of XRC. Also of requests without entries: libmlx5 follows a queue that is not there. */
static bool queue_wrong(const struct target *to)
{
	return to->guard && (vx_queue_wrong(to->why, to->guard->raw, to->sends) ||
			     (!to->sends && !to->guard->cap.max_recv_wr &&
			      vx_says(to->why, "the receive queue was made for no requests (max_recv_wr = 0)")));
}

/* ---- either ---- */

/* 0, or what is wrong: else it is counted. */
static int look_at_one(struct target *to, union vx_list wr)
{
	return to->sends ? look_at_send(to->guard, wr.send) : look_at_receive(to, wr.receive);
}

static int post_next(const struct target *to, union vx_list wr, union vx_list *bad)
{
	if (to->srq)
		return ibv_post_srq_recv(to->srq, wr.receive, &bad->receive);
	return to->sends ? ibv_post_send(to->qp, wr.send, &bad->send) : ibv_post_recv(to->qp, wr.receive, &bad->receive);
}

/* Those before the one that is wrong. */
static int post_before(const struct target *to, union vx_list wr, const struct vx_request *end, union vx_list *bad)
{
	union {
		struct vx_request one;
		struct ibv_send_wr send;
		struct ibv_recv_wr receive;
	} copy;
	union vx_list refused;
	int rc = 0;

	for (; wr.one != end && !rc; wr.one = wr.one->next) {
		memcpy(&copy, wr.one, to->sends ? sizeof(copy.send) : sizeof(copy.receive));
		copy.one.next = NULL;
		*bad = wr;
		rc = post_next(to, (union vx_list){ &copy.one }, &refused);
	}
	return rc;
}

static int tell(const struct target *to, int code, union vx_list list, union vx_list bad)
{
	if (code == -EAGAIN)
		return vx_fail_checked_full(to->node, list.send, bad.send, to->guard->cap.max_send_wr);
	return vx_fail_request(code, to->call, to->node, list.one, bad.one, to->sends ? vx_ibv_wr_opcode_name(bad.send->opcode) : NULL, to->why);
}

/* Where it is a ring, nobody comes to its end. */
static int post_either(struct target *to, union vx_list list, union vx_list *bad_wr)
{
	int rc, code = list.one && (vx_ring_wrong(to->why, list.one) || queue_wrong(to)) ? -EINVAL : 0;
	union vx_list one = list, bad = list;

	while (one.one && !code) {
		code = look_at_one(to, one);
		one.one = code ? one.one : one.one->next;
	}
	rc = code ? post_before(to, list, one.one, &bad) : post_next(to, list, &bad);
	if (rc && to->sends)
		count_again(to->guard, list.send, bad.send);
	if (!rc && code)
		bad = one;
	if (rc || code)
		*bad_wr = bad;
	return rc ? vx_guard_passed(rc) : code ? tell(to, code, list, one) : 0;
}

/* ---- of each kind ---- */

int vx_guard_post_send(struct ibv_qp *front, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct vx_guard_qp *guard = (struct vx_guard_qp *)(void *)front;
	struct target to = { .call = "vx_qp_post_send", .node = vx_front_head(front)->node, .guard = guard, .qp = vx_front_next(front), .sends = true,
			     .why = guard->why };
	const char *why;
	int rc;

	if (!vx_guard_lock(guard)) {
		*bad_wr = wr;
		rc = vx_guard_locked_out(guard, &why);
		return vx_fail_request(rc, to.call, to.node, wr, wr, NULL, why);
	}
	vx_guard_begin_posts(guard);
	rc = post_either(&to, (union vx_list){ .send = wr }, (union vx_list *)(void *)bad_wr);
	vx_guard_unlock(guard);
	return rc;
}

int vx_guard_post_recv(struct ibv_qp *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct vx_guard_qp *guard = (struct vx_guard_qp *)(void *)front;
	char why[VX_LONGEST_REFUSAL];
	struct target to = { .call = "vx_qp_post_recv", .node = vx_front_head(front)->node, .guard = guard, .qp = vx_front_next(front), .pd = guard->raw->pd,
			     .made = "it was made with max_recv_sge", .max_sge = guard->cap.max_recv_sge, .why = why };

	return post_either(&to, (union vx_list){ .receive = wr }, (union vx_list *)(void *)bad_wr);
}

int vx_guard_post_srq_recv(struct ibv_srq *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	const struct vx_guard_srq *guard = (const struct vx_guard_srq *)(const void *)front;
	char why[VX_LONGEST_REFUSAL];
	struct target to = { .call = "vx_srq_post_recv", .node = vx_front_head(front)->node, .srq = vx_front_next(front), .pd = guard->pd,
			     .made = "it was made with max_sge", .max_sge = guard->max_sge, .why = why };

	return post_either(&to, (union vx_list){ .receive = wr }, (union vx_list *)(void *)bad_wr);
}
