/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Posts to what is checked: each request of a list is looked at, and those before the first that is wrong go on, as ibv_post_send(3) has
 * it. They are copied for that, as threads may share a list. What a guard itself tells is negative.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/enums.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "guard.h"

static int refuse_post(const char *call, const void *front, const void *list, const void *bad, const char *opcode, int code, const char *why)
{
	char text[VX_LONGEST_REQUEST + VX_LONGEST_REFUSAL];

	vx_name_request(text, VX_LONGEST_REQUEST, list, bad, opcode);
	strncat(text, why, VX_LONGEST_REFUSAL - 1);
	return vx_fail_text(code, call, VX_NAME(vx_front_head(front)->node), text);
}

/* ---- entries ---- */

static bool entries_wrong(char *why, struct vx_seen *seen, const struct ibv_pd *pd, const struct ibv_sge *list, int count, bool writes)
{
	char entry[VX_LONGEST_REFUSAL];
	int i;

	for (i = 0; i < count; i++)
		if (vx_region_wrong(seen, pd, &list[i], writes, entry))
			return snprintf(why, VX_LONGEST_REFUSAL, "entry %d %.200s", i + 1, entry) > 0;
	return false;
}

/* ---- to send ---- */

/* What only posts in one line say: others may have anything there. */
static bool one_line_address_wrong(char *why, const struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	const char *type = vx_ibv_qp_type_name(guard->raw->qp_type);

	return wr->tso.hdr == (const void *)&wr->wr.ud &&
	       snprintf(why, VX_LONGEST_REFUSAL, "a QP of type %s has its address, and vx_qp_post_send_to() and its like give one: vx_qp_post_send_one()",
			type ? type : "that") > 0;
}

static bool number_wrong(char *why, const char *field, uint32_t number)
{
	return number > VX_LARGEST_QPN && snprintf(why, VX_LONGEST_REFUSAL, "%s = 0x%x, and the most is 0xffffff", field, number) > 0;
}

static bool peer_wrong(char *why, struct vx_guard_qp *guard, const struct ibv_ah *ah)
{
	if (!ah)
		return snprintf(why, VX_LONGEST_REFUSAL, "wr.ud.ah is NULL, and a UD QP has no address of its own") > 0;
	return vx_look_at_peer(&guard->peers, guard->raw->pd, ah) && vx_given_wrong(why, "wr.ud.ah", guard->raw->pd, ah, VX_OBJECT_AH);
}

/* Of types beyond those of the specification: a DCI goes where its builders say. What is done here goes nowhere. */
static bool other_address_wrong(char *why, const struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	if (guard->raw->qp_type == IBV_QPT_XRC_SEND)
		return number_wrong(why, "remote_srqn", wr->qp_type.xrc.remote_srqn);
	return guard->raw->qp_type == IBV_QPT_DRIVER && wr->opcode != IBV_WR_LOCAL_INV && wr->opcode != IBV_WR_BIND_MW &&
	       snprintf(why, VX_LONGEST_REFUSAL, "a DCI has no address of its own, and a post has no place for one: vx_wr_start(), vx_mlx5_wr_set_dc_addr()") > 0;
}

static bool address_wrong(char *why, struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	const enum ibv_qp_type type = guard->raw->qp_type;

	if (type > IBV_QPT_RAW_PACKET && other_address_wrong(why, guard, wr))
		return true;
	if (type != IBV_QPT_UD)
		return one_line_address_wrong(why, guard, wr);
	return number_wrong(why, "remote_qpn", wr->wr.ud.remote_qpn) || peer_wrong(why, guard, wr->wr.ud.ah);
}

static bool length_wrong(char *why, struct vx_guard_qp *guard, const struct ibv_send_wr *wr)
{
	const unsigned long long bytes = vx_bytes_of(wr->sg_list, wr->num_sge);

	if (bytes <= guard->most || wr->opcode == IBV_WR_TSO || vx_guard_is_short(guard, bytes))
		return false;
	vx_guard_put_long(why, guard, "it ", bytes);
	return true;
}

/* 0, or what is wrong. */
static int look_at_send(struct vx_guard_qp *guard, const struct ibv_send_wr *wr, char *why)
{
	const struct vx_wr_row *row = vx_wr_row_of(wr->opcode);
	const bool is_inline = wr->send_flags & IBV_SEND_INLINE, writes = row && !row->takes_inline;

	if (vx_send_wrong(why, guard->raw, &guard->cap, wr) ||
	    vx_flags_wrong(why, "send_flags", wr->send_flags, !(guard->no_flags & IBV_SEND_IP_CSUM), guard->raw->qp_type) ||
	    address_wrong(why, guard, wr) || length_wrong(why, guard, wr))
		return -EINVAL;
	if (!is_inline && entries_wrong(why, &guard->seen, guard->raw->pd, wr->sg_list, wr->num_sge, writes))
		return -EINVAL;
	if (vx_guard_finds_room(guard, 1))
		return 0;
	return vx_guard_put_full(why, VX_LONGEST_REFUSAL, guard, guard->posted, 1);
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
	char why[VX_LONGEST_REFUSAL];
	int rc, code = 0;

	vx_guard_begin_posts(guard);
	if (wr && vx_queue_wrong(why, guard->raw, true))
		code = -EINVAL;
	while (one && !code) {
		code = look_at_send(guard, one, why);
		if (code)
			break;
		count_send(guard, one);
		one = one->next;
	}
	if (code && vx_ring_wrong(why, wr)) { /* where it was full, it may have come round */
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
	return refuse_post("ibv_post_send", guard, wr, one, vx_ibv_wr_opcode_name(one->opcode), code, why);
}

int vx_guard_post_send(struct ibv_qp *front, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct vx_guard_qp *guard = (struct vx_guard_qp *)(void *)front;
	const char *why;
	int rc;

	if (!vx_guard_lock(guard)) {
		*bad_wr = wr;
		rc = vx_guard_locked_out(guard, &why);
		return refuse_post("ibv_post_send", guard, wr, wr, NULL, rc, why);
	}
	rc = send_list(guard, wr, bad_wr);
	vx_guard_unlock(guard);
	return rc;
}

/* ---- to receive ---- */

/* What receives are posted to. */
struct receiver {
	const char *call;
	const struct ibv_pd *pd;
	uint32_t max_sge;
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
	const unsigned long long bytes = vx_bytes_of(wr->sg_list, wr->num_sge);

	return to->is_datagram && bytes < VX_BEFORE_DATAGRAM &&
	       snprintf(why, VX_LONGEST_REFUSAL, "it has %llu bytes, and a datagram comes behind %d for a GRH", bytes, VX_BEFORE_DATAGRAM) > 0;
}

static bool receive_wrong(char *why, const struct receiver *to, struct vx_seen *seen, const struct ibv_recv_wr *wr)
{
	return vx_recv_wrong(why, wr, to->qp ? "max_recv_sge" : "max_sge", to->max_sge) || lacks_headroom(why, to, wr) ||
	       entries_wrong(why, seen, to->pd, wr->sg_list, wr->num_sge, true);
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

static int receive_list(const struct receiver *to, const void *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr, char *why, bool is_wrong)
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
	return refuse_post(to->call, front, wr, one, NULL, -EINVAL, why);
}

/* Such as one of XRC. Also of requests without entries: libmlx5 follows a queue that is not there. */
static bool has_no_receives(char *why, const struct vx_guard_qp *guard)
{
	return !guard->cap.max_recv_wr && snprintf(why, VX_LONGEST_REFUSAL, "the receive queue was made for no requests (max_recv_wr = 0)") > 0;
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
	const struct receiver to = { "ibv_post_recv", guard->raw->pd, guard->cap.max_recv_sge, &vx_guard_next(guard)->qp_base, NULL,
				     guard->raw->qp_type == IBV_QPT_UD };
	char why[VX_LONGEST_REFUSAL];
	const bool is_wrong = vx_queue_wrong(why, guard->raw, false) || has_no_receives(why, guard) || receives_are_ring(why, wr);

	if (!is_wrong)
		know_receives(guard, wr);
	return receive_list(&to, front, wr, bad_wr, why, is_wrong);
}

int vx_guard_post_srq_recv(struct ibv_srq *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	const struct vx_guard_srq *guard = (const struct vx_guard_srq *)(const void *)front;
	const struct receiver to = { "ibv_post_srq_recv", guard->pd, guard->max_sge, NULL, vx_front_next(front), false };
	char why[VX_LONGEST_REFUSAL];

	return receive_list(&to, front, wr, bad_wr, why, receives_are_ring(why, wr));
}
