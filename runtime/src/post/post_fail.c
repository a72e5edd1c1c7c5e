/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What the inline functions of verbsx/post.h, wr.h and poll.h call where rdma-core's call has failed: each makes a negative errno of its
 * result, in one place that records it, and finds out why. They may be called often, as a program may post until a queue is full:
 * nothing asks the kernel, but for the sizes of a QP, once, and for those of an SRQ, which may be resized by anybody, each time.
 */

#include <errno.h>
#include <stdio.h>

#include <verbsx/enums.h>
#include <verbsx/front.h>

#include "error/fail.h"
#include "front/front.h"
#include "guard/guard.h"
#include "guard/refused.h"
#include "kinds.h"
#include "object/object.h"
#include "text/out.h"

#define VX_TRACE_ASIDE
#include "traced.h"

/* A request of a list, from 1 on; 0: it is none of them. */
struct place {
	unsigned int at, of;
	bool in_ring;
};

/* How far to go to have seen all of a list. Of a ring, to the first that equals a mark, which is moved on ever less often. */
static unsigned int whole_length(const void *list, bool *is_ring)
{
	const struct vx_request *one, *mark = NULL;
	unsigned int length = 0;

	for (one = list; one && one != mark; one = one->next) {
		if (!(length & (length - 1)))
			mark = one;
		length++;
	}
	*is_ring = one;
	return length;
}

bool vx_ring_wrong(char *why, const void *list)
{
	bool is_ring;

	whole_length(list, &is_ring);
	return is_ring && vx_says(why, "the list has no end: by its next pointers it is a ring");
}

/* What a provider says that it refused is looked for, not followed: those that cannot post at all say nothing. */
static struct place place_in(const void *list, const void *bad)
{
	const struct vx_request *one = list;
	struct place place = { 0 };
	unsigned int i;

	place.of = whole_length(list, &place.in_ring);
	for (i = 1; i <= place.of && !place.at; i++, one = one->next)
		if (one == bad)
			place.at = i;
	return place;
}

/*
 * The first that was refused. Those who cannot post at all, or receive nothing here, leave there what was there before, which may be one of
 * the list all the same; of a single one it is not asked. In a state too early some providers post all the same, and say what they did not.
 */
static const void *refused_of(const void *list, const void *bad, int code, bool has_srq)
{
	const struct vx_request *one = list;
	const bool is_said = code != -EOPNOTSUPP && code != -ENOSYS && !has_srq;

	return one && one->next && is_said && place_in(list, bad).at ? bad : list;
}

/* The one place where the outcome of a failed call is made, which compilers rely upon; what guards refuse they have told themselves. */
static int fail_with(int code, const char *call, const void *object, const char *text)
{
	return vx_fail_text(code < 0 ? code : -EIO, call, object ? VX_NAME(object) : NULL, text);
}

/* "request 2 of 3 (wr_id = 0x8, IBV_WR_SEND): " */
static void put_place(struct vx_out *out, struct place place, uint64_t wr_id, const char *opcode)
{
	vx_put_literal(out, "request ");
	vx_put_unsigned(out, place.at);
	if (!place.in_ring) {
		vx_put_literal(out, " of ");
		vx_put_unsigned(out, place.of);
	}
	vx_put_literal(out, " (wr_id = ");
	vx_put_hex(out, wr_id);
	if (opcode) {
		vx_put_literal(out, ", ");
		vx_put_string(out, opcode);
	}
	vx_put_literal(out, "): ");
}

/* Nothing where nothing is known of it. */
int vx_fail_request(int code, const char *call, const void *node, const void *list, const void *bad, const char *opcode, const char *why)
{
	const struct place place = place_in(list, bad);
	char text[VX_LONGEST_REQUEST + VX_LONGEST_REFUSAL];
	struct vx_out out = vx_out_in(text, sizeof(text));

	if (*why && place.at)
		put_place(&out, place, ((const struct vx_request *)bad)->wr_id, opcode);
	vx_put_string(&out, why);
	vx_out_finish(&out);
	return fail_with(code, call, node, text);
}

/* Whether a code is one that providers have for a queue that is full, among other things. */
static bool may_be_full(int code)
{
	return code == -ENOMEM || code == -ENOSPC || code == -EAGAIN;
}

/* What requests are posted to, in words. */
struct queue {
	char call[20], name[16], field[52];
	char made[32];		/* as vx_entries_wrong() has it; of sends they are looked at with the rest */
	char poll[180];		/* how it becomes less full */
};

/* The longest: C takes a text whose NUL has no room. */
#define POLL_COUNTED "): as many requests are posted, and vx_ functions have polled no completion of one of them. " VX_NOT_COUNTED
_Static_assert(sizeof(POLL_COUNTED) <= sizeof(((const struct queue *)0)->poll), "the NUL has room");

/* Whoever has never asked for a completion would poll for ever. */
static const struct queue send_queue = {
	"ibv_post_send", "send queue", "max_send_wr", "", "): poll its completions first, which signaled requests alone have"
};
static const struct queue checked_queue = {
	"vx_qp_post_send", "send queue", "max_send_wr", "", POLL_COUNTED
};
static const struct queue receive_queue = { "ibv_post_recv", "receive queue", "max_recv_wr", "it was made with max_recv_sge", "): poll its completions first" };
static const struct queue srq_queue = {
	"ibv_post_srq_recv", "SRQ", "max_wr", "it was made with max_sge", ", about half of which the provider may keep for itself): poll its completions first"
};
static const struct queue wq_queue = { "ibv_post_wq_recv", "WQ", "max_wr", "it was made with max_sge", "): poll its completions first" };

/* That one is full, of which most programs want to know no more; or that it was made for no requests, as of a DCI what receives, and never has room. */
struct full {
	const struct queue *queue;
	const char *opcode;	/* of the request that it had no room for; NULL: it has none */
	uint32_t depth;
	struct place place;
	uint64_t wr_id;
	struct vx_name name;
};

_Static_assert(sizeof(struct full) <= VX_MOST_FACTS, "it is kept until somebody asks");

static void tell_full(const void *facts, struct vx_out *object, struct vx_out *why)
{
	const struct full *full = facts;

	vx_put_name(object, &full->name, NULL);
	if (full->place.at)
		put_place(why, full->place, full->wr_id, full->opcode);
	vx_put_literal(why, "the ");
	vx_put_string(why, full->queue->name);
	vx_put_string(why, full->depth ? " is full (" : " was made for no requests (");
	vx_put_string(why, full->queue->field);
	vx_put_literal(why, " = ");
	vx_put_unsigned(why, full->depth);
	vx_put_string(why, full->depth ? full->queue->poll : ")");
}

/* Of what its number alone does not tell. */
static VX_COLD int fail_full_now(int code, const void *object, const struct full *full)
{
	char name[VX_LONGEST_NAME], text[VX_LONGEST_REQUEST + VX_LONGEST_REFUSAL];
	struct vx_out of = vx_out_in(name, sizeof(name)), why = vx_out_in(text, sizeof(text));

	tell_full(full, &of, &why);
	vx_out_finish(&why);
	return fail_with(code, full->queue->call, object, text);
}

static int fail_full(const struct queue *queue, const void *object, const void *list, const void *bad, const char *opcode, uint32_t depth)
{
	const int code = depth ? -EAGAIN : -EINVAL;
	struct full *full = vx_fail_later(code, queue->call, "the queue is full, or was made for no requests", tell_full);

	if (!full)
		return code;
	*full = (struct full){ .queue = queue, .opcode = opcode, .depth = depth, .place = place_in(list, bad) };
	full->wr_id = full->place.at ? ((const struct vx_request *)bad)->wr_id : 0;
	return VX_USUALLY(vx_name_find(&full->name, object)) ? code : fail_full_now(code, object, full);
}

int vx_fail_checked_full(const void *node, const struct ibv_send_wr *list, const struct ibv_send_wr *bad, uint32_t depth)
{
	return fail_full(&checked_queue, node, list, bad, vx_ibv_wr_opcode_name(bad->opcode), depth);
}

/* ---- requests ---- */

static bool cap_of(const struct vx_node *node, struct ibv_qp_cap *cap)
{
	const struct vx_guard_qp *guard = vx_guard_before_qp(node);

	if (guard)
		*cap = guard->cap;
	return guard || vx_known_cap(node, cap);
}

/* qp is NULL of what is none, and receives. */
static bool request_wrong(char *why, const struct ibv_qp *qp, const struct queue *queue, const struct ibv_qp_cap *cap, union vx_list wr)
{
	if (queue != &send_queue)
		return vx_entries_wrong(why, wr.receive->sg_list, wr.receive->num_sge, queue->made, cap->max_recv_sge);
	return vx_send_wrong(why, qp, cap, wr.send, !(wr.send->send_flags & IBV_SEND_IP_CSUM) || vx_has_checksums(qp));
}

/* Of a list of either kind; bad is what the provider has left there, and then what was refused. */
static int fail_post(const struct vx_node *node, const struct queue *queue, int rc, const void *list, union vx_list *bad_wr)
{
	const bool sends = queue == &send_queue;
	const struct ibv_qp *qp = node->type == VX_OBJECT_QP ? node->object.raw : NULL;
	int code = vx_code_returned(rc);
	const void *bad = refused_of(list, bad_wr->one, code, !sends && qp && qp->srq);
	const char *opcode = sends && bad ? vx_ibv_wr_opcode_name(((const struct ibv_send_wr *)bad)->opcode) : NULL;
	char why[VX_LONGEST_REFUSAL];
	struct ibv_qp_cap cap;
	bool known;

	if (rc < 0 && vx_is_checked(node))
		return rc;
	known = cap_of(node, &cap);
	bad_wr->one = (struct vx_request *)(uintptr_t)bad;
	*why = '\0';
	if (bad && ((qp && vx_queue_wrong(why, qp, sends)) || request_wrong(why, qp, queue, &cap, *bad_wr) || vx_ring_wrong(why, list)))
		code = -EINVAL;
	else if (known && may_be_full(code))
		return fail_full(queue, node, list, bad, opcode, sends ? cap.max_send_wr : cap.max_recv_wr);
	else if (!sends && may_be_full(code) && bad && ((const struct ibv_recv_wr *)bad)->num_sge <= 1 && vx_says(why, "the queue is full: poll its completions first"))
		code = -EAGAIN;
	return vx_fail_request(code, queue->call, node, list, bad, opcode, why);
}

int vx_post_send_fail(const struct vx_qp *qp, int rc, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	return fail_post((const struct vx_node *)qp, &send_queue, rc, wr, (union vx_list *)(void *)bad_wr);
}

int vx_post_recv_fail(const void *object, int rc, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	const struct vx_node *node = object;
	const struct queue *queue = node->type == VX_OBJECT_QP ? &receive_queue : node->type == VX_OBJECT_SRQ ? &srq_queue : &wq_queue;

	return fail_post(node, queue, rc, wr, (union vx_list *)(void *)bad_wr);
}

/* ---- operations of an SRQ ---- */

int vx_post_srq_ops_fail(const struct vx_srq *srq, int rc, struct ibv_ops_wr *op, struct ibv_ops_wr **bad_op)
{
	const struct vx_node *node = (const struct vx_node *)srq;
	const struct vx_kept_srq *kept = vx_node_extra(node);
	const char *why = "";
	int code = vx_code_returned(rc);

	(void)op;
	(void)bad_op;
	if (kept->known && kept->srq_type != IBV_SRQT_TM) {
		why = "only an SRQ whose srq_type is IBV_SRQT_TM, which matches tags, takes operations";
	} else if (may_be_full(code)) {
		why = "the list of tags or its queue of operations (max_num_tags, max_ops) is full: poll its completions first";
		code = -EAGAIN;
	}
	return fail_with(code, "ibv_post_srq_ops", srq, why);
}

/* ---- lists of requests ---- */

/* Whose front it is; the raw object has a handle, and all else lies behind what says so. */
static const struct vx_node *node_behind(const void *front)
{
	const struct vx_node *node;

	vx_graph_lock();
	node = vx_node_of(front, 0);
	vx_graph_unlock();
	return node ? node : vx_front_head(front)->node;
}

#define OVERWRITTEN \
	"; where it is full, libmlx5 has written this one over a request that was posted before: have room first, or make the QP with .checked"
#define INLINE_OF_KEYS ": cap.max_inline_data is 124 for 4 with a signature or encryption, 188 with both"

/*
 * What ENOMEM may mean; a guard has looked at all but what keys are configured with: 16 bytes an entry, four of them at a time, and 64 each
 * of a signature and of encryption, less the 4 that inline data begin with.
 */
static void put_causes(char *why, size_t len, const struct vx_node *node, const struct ibv_qp_cap *cap)
{
	const bool gives_keys = vx_mlx5_gives_keys(node->object.raw);

	if (gives_keys && vx_is_checked(node))
		snprintf(why, len, "a key was given more entries than the max_entries that it was made with, or than "
			 "max_inline_data = %u bytes of the QP hold, 16 each, an interleaved layout one more" INLINE_OF_KEYS, cap->max_inline_data);
	else
		snprintf(why, len, "the send queue is full (max_send_wr = %u), or a request has more than max_send_sge = %u entries or "
			 "max_inline_data = %u bytes inline%s%s", cap->max_send_wr, cap->max_send_sge, cap->max_inline_data,
			 gives_keys ? ", or a key more than its max_entries" INLINE_OF_KEYS : "",
			 !vx_is_checked(node) && vx_builders_overwrite(node->object.raw) ? OVERWRITTEN : "");
}

/* What EINVAL may mean of builders of mlx5, which a QP has all of or none: no guard looks at these arguments. */
static void put_refused_by_mlx5(char *why)
{
	snprintf(why, VX_LONGEST_REFUSAL, "a copy has 1 to max_wr_memcpy_length bytes; access_flags of a key are of local and remote writes, remote "
		 "reads and atomics; its signature or encryption is what create_flags made it for, of block_size and type in mlx5dv.h; a CRC's seed "
		 "is 0 or all ones");
}

/* A provider latches the first error, of which it says the code alone. */
int vx_wr_fail(const struct vx_wr *wr, int rc)
{
	const struct vx_node *node = node_behind(wr);
	char why[2 * VX_LONGEST_REFUSAL] = "";
	int code = vx_code_returned(rc);
	struct ibv_qp_cap cap;

	if (rc < 0 && vx_is_checked(node))
		return rc;
	if (vx_queue_wrong(why, node->object.raw, true))
		return fail_with(code, "ibv_wr_complete", node, why);
	if (may_be_full(code) && cap_of(node, &cap))
		put_causes(why, sizeof(why), node, &cap);
	else if (code == -EINVAL && vx_mlx5_gives_keys(node->object.raw))
		put_refused_by_mlx5(why);
	else if (code == -EOPNOTSUPP && vx_mlx5_gives_keys(node->object.raw))
		snprintf(why, sizeof(why), "a key is configured by a bit of conf_flags or comp_mask that libmlx5 does not know");
	return fail_with(code, "ibv_wr_complete", node, why);
}

/* ---- completions ---- */

/* Some providers return a number of their own. */
static int poll_fail(const struct vx_node *node, const char *call, int rc)
{
	return vx_fail(-EIO, call, VX_NAME(node),
		       "it returned %d: there is a completion that the provider cannot make sense of, such as one of a QP that is gone", rc);
}

int vx_poll_fail(const struct vx_cq *cq, int rc)
{
	if (vx_guard_cq_told((const struct vx_node *)cq, rc))
		return rc;
	return poll_fail((const struct vx_node *)cq, "ibv_poll_cq", rc);
}

int vx_notify_fail(const struct vx_cq *cq, int rc)
{
	return fail_with(vx_code_returned(rc), "ibv_req_notify_cq", cq, vx_cq_raw(cq)->channel ? "" : "the CQ was made without a completion channel");
}

int vx_wc_fail(const struct vx_wc *wc, int rc)
{
	const struct vx_node *node = node_behind(wc);

	if (vx_is_plain_cq(node))
		return vx_fail(-EOPNOTSUPP, "vx_cq_start_poll", VX_NAME(node), "the CQ was made without .wc_flags: use vx_cq_poll(), or make it with them");
	if (rc == EOPNOTSUPP && vx_is_checked(node))
		return vx_fail(-EOPNOTSUPP, "vx_cq_start_poll", VX_NAME(node), "the CQ was made without IBV_WC_EX_WITH_QP_NUM in .wc_flags, by which "
			       "the completions of checked QPs are counted: use vx_cq_poll()");
	if (vx_guard_cq_told(node, rc))
		return rc;
	return rc < 0 ? poll_fail(node, "ibv_next_poll", rc) : fail_with(-rc, "ibv_next_poll", node, "");
}
