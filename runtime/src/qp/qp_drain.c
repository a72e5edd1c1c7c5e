/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Waiting for all that a QP was given to complete.
 *
 * A QP in ERR completes its requests in their order, so a request that is posted last, a marker, tells when a queue is empty.
 * Where no marker can be made, or nobody can say that it comes, the QP is taken to be drained once nothing of it has been seen for
 * a while, and its CQs were looked through, and polled often enough, in it: of a thread that does not run nobody knows whether it is
 * quiet. Others may keep a CQ busy all the time: it is looked through when as many have been taken as it holds.
 */

#include <errno.h>
#include <time.h>

#include <verbsx/calls.h>
#include <verbsx/dispatcher.h>
#include <verbsx/path_ah.h>

#include "error/fail.h"
#include "object/make.h"
#include "path/path.h"
#include "reach/reach.h"

#define AT_ONCE 16		/* completions */
#define QUIET_MS 10
#define QUIET_POLLS 100		/* as many as there are in QUIET_MS, where the thread runs */
#define PATIENCE_MS 200		/* while nothing completes at all, and something is to come */
#define MARKERS 128
#define PAUSE_NS 20000

enum { SENDS, RECEIVES, QUEUES };

struct queue {
	const struct ibv_cq *cq;	/* that it completes in; NULL: it has none, or the same as that before it */
	struct ibv_cq *front;		/* what stands before that, which counts what is polled, of other QPs as well */
	struct vx_done *marker;
	bool wanted;			/* a marker is yet to be posted */
	bool full;			/* there was no room for it */
	bool awaited;			/* one is on its way */
	int unseen;			/* what may have been in the CQ when something was last seen, and was not taken yet */
};

#define FOR_EACH_QUEUE(drain, queue) for (struct queue *queue = (drain)->queues; queue < (drain)->queues + QUEUES; queue++)

struct drain {
	struct vx_qp *qp;
	vx_wc_function seen;
	void *data;
	struct queue queues[QUEUES];
	bool by_quiet;			/* at least one queue has none */
	bool found_in_err;		/* where it was before nobody knows */
	int quiet_ms;			/* that are taken for its end then */
	int64_t quiet_from;		/* when something of it was last seen, in ms */
	unsigned int polls;		/* since then */
	struct vx_ah *ah;		/* of the marker of datagrams, which goes nowhere; the PD's */
	int64_t end;			/* in ms */
};

/* ---- markers ---- */

/*
 * Their addresses are the numbers of the requests. Where a drain had no time, those that it has posted complete later: the next drain
 * knows them for what they are, whose ever they were, and vx_cq_dispatch() calls what is in them.
 */
static struct vx_done markers[MARKERS];

static void ignore(struct vx_done *marker, const struct ibv_wc *wc)
{
	(void)marker, (void)wc;
}

/* Those of two drains that go on at the same time are different. */
static void take_markers(struct drain *drain)
{
	static unsigned int taken;
	struct vx_done *marker = &markers[__atomic_fetch_add(&taken, QUEUES, __ATOMIC_RELAXED) % MARKERS];

	FOR_EACH_QUEUE(drain, queue) {
		queue->marker = marker++;
		__atomic_store_n(&queue->marker->done, ignore, __ATOMIC_RELAXED);
	}
}

/* A write of nothing to nowhere, or a datagram: never executed. @return 0 or a positive errno */
static int post_send_marker(struct drain *drain)
{
	struct ibv_send_wr wr = { .wr_id = vx_done_id(drain->queues[SENDS].marker), .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;

	if (drain->ah) {
		wr.opcode = IBV_WR_SEND;
		wr.wr.ud.ah = vx_ah_raw(drain->ah);
		wr.wr.ud.remote_qpn = vx_qp_raw(drain->qp)->qp_num;
	}
	return ibv_post_send(vx_qp_raw(drain->qp), &wr, &bad);
}

static int post_receive_marker(struct drain *drain)
{
	struct ibv_recv_wr wr = { .wr_id = vx_done_id(drain->queues[RECEIVES].marker) }, *bad;

	return ibv_post_recv(vx_qp_raw(drain->qp), &wr, &bad);
}

static bool is_quiet_for(const struct drain *drain, int64_t ms)
{
	return vx_now_ms() - drain->quiet_from >= ms;
}

/* libmlx5 says that the send queue of a QP in ERR is full if that never was in RTS. */
static bool is_never_to_be_empty(const struct drain *drain, bool sends)
{
	return sends && drain->found_in_err && is_quiet_for(drain, PATIENCE_MS);
}

/* A queue that is full takes it when something has completed. One that refuses it for any other reason does without. */
static void post_marker(struct drain *drain, struct queue *queue)
{
	const bool sends = queue == &drain->queues[SENDS];
	const int rc = sends ? post_send_marker(drain) : post_receive_marker(drain);

	queue->full = (rc == ENOMEM || rc == EAGAIN || rc == ENOSPC) && !is_never_to_be_empty(drain, sends);
	if (queue->full)
		return;
	queue->wanted = false;
	queue->awaited = !rc;
	drain->by_quiet = drain->by_quiet || rc;
}

/* Soft-RoCE does not look at what is posted to receive in ERR. */
static bool forgets_receives(const struct ibv_qp *raw)
{
	return vx_function_is_of((uintptr_t)raw->context->ops.post_recv, "librxe");
}

/* A datagram needs an address, though it goes nowhere: that of the port itself. Without one it is waited for quiet. */
static bool make_address(struct drain *drain, uint8_t port_num)
{
	struct vx_path path = { .port_num = port_num };
	struct vx_pd *pd = (struct vx_pd *)vx_node_used_as((const struct vx_node *)drain->qp, VX_OBJECT_PD, NULL);
	int rc;

	vx_error_try();
	rc = pd ? vx_path_fill(&path, drain->qp) : -EINVAL;
	path.dgid = path.sgid;
	path.dlid = path.slid;
	if (rc == 0)
		rc = vx_pd_ah(pd, &path, &drain->ah);
	vx_error_tried(0);
	return rc == 0;
}

/*
 * Which queues take a marker: those of types whose requests need no address that cannot be had, of devices that flush what is posted in
 * ERR. A QP that never was in RTS has sent nothing.
 */
static void choose_markers(struct drain *drain, enum ibv_qp_state state, uint8_t port_num, const struct ibv_qp_cap *cap)
{
	const struct ibv_qp *raw = vx_qp_raw(drain->qp);
	bool flushes = raw->context->device->transport_type != IBV_TRANSPORT_IWARP;
	bool connected = raw->qp_type == IBV_QPT_RC || raw->qp_type == IBV_QPT_UC || raw->qp_type == IBV_QPT_XRC_SEND;
	bool sends = cap->max_send_wr && state != IBV_QPS_INIT && state != IBV_QPS_RTR;

	drain->queues[SENDS].wanted = flushes && sends && (connected || (raw->qp_type == IBV_QPT_UD && make_address(drain, port_num)));
	drain->queues[RECEIVES].wanted = flushes && !raw->srq && raw->recv_cq && cap->max_recv_wr && !forgets_receives(raw);
	drain->found_in_err = state == IBV_QPS_ERR;
	drain->quiet_ms = forgets_receives(raw) ? PATIENCE_MS : QUIET_MS;
	drain->by_quiet = (sends && !drain->queues[SENDS].wanted) || raw->srq || (cap->max_recv_wr && !drain->queues[RECEIVES].wanted);
}

/* ---- completions ---- */

static void find_cq(struct drain *drain, unsigned int queue, struct ibv_cq *cq)
{
	const struct vx_node *used = cq ? vx_node_used_as((const struct vx_node *)drain->qp, VX_OBJECT_CQ, cq) : NULL;

	drain->queues[queue].cq = cq;
	drain->queues[queue].front = used ? used->object.front : cq;
}

/* What is there already is to be looked through from here on. */
static void begin_quiet(struct drain *drain)
{
	drain->quiet_from = vx_now_ms();
	drain->polls = 0;
	FOR_EACH_QUEUE(drain, queue)
		queue->unseen = queue->cq ? queue->cq->cqe : 0;
}

static bool is_looked_through(const struct drain *drain)
{
	return drain->queues[SENDS].unseen <= 0 && drain->queues[RECEIVES].unseen <= 0;
}

/* Receives of raw packets do not tell whose they are. */
static bool is_own(const struct drain *drain, const struct ibv_wc *wc)
{
	const struct ibv_qp *raw = vx_qp_raw(drain->qp);

	return wc->qp_num == raw->qp_num || raw->qp_type == IBV_QPT_RAW_PACKET;
}

/* One is of this drain, or was left by another. */
static bool is_marker(struct drain *drain, const struct ibv_wc *wc)
{
	if (wc->wr_id < vx_done_id(markers) || wc->wr_id >= vx_done_id(markers + MARKERS))
		return false;
	FOR_EACH_QUEUE(drain, queue)
		if (wc->qp_num == vx_qp_raw(drain->qp)->qp_num && wc->wr_id == vx_done_id(queue->marker))
			queue->awaited = false;
	return true;
}

static void take(struct drain *drain, const struct ibv_wc *wc)
{
	if (is_own(drain, wc))
		begin_quiet(drain);
	if (!is_marker(drain, wc) && drain->seen)
		drain->seen(wc, drain->data);
}

static int poll_cq(const struct queue *queue, int entries, struct ibv_wc *wc)
{
	return queue->cq ? ibv_poll_cq(queue->front, entries, wc) : 0;
}

/* @return how many there were, or a negative errno */
static int poll_cqs(struct drain *drain)
{
	struct ibv_wc wc[AT_ONCE];
	int i, count, all = 0;

	FOR_EACH_QUEUE(drain, queue) {
		errno = 0;
		count = poll_cq(queue, AT_ONCE, wc);
		if (count < 0)
			return vx_fail(-EIO, "vx_qp_drain", VX_NAME(drain->qp), "its CQ could not be polled");
		queue->unseen -= count < AT_ONCE ? queue->unseen : count;
		for (i = 0; i < count; i++)
			take(drain, &wc[i]);
		all += count;
	}
	return all;
}

/* Of a checked CQ that this thread is in a loop of the guard tells, and it is better told before the QP fails. */
static int check_polls(struct drain *drain)
{
	FOR_EACH_QUEUE(drain, queue)
		if (poll_cq(queue, 0, NULL) == -EDEADLK)
			return -EDEADLK;
	return 0;
}

/* ---- waiting ---- */

static bool is_drained(struct drain *drain)
{
	FOR_EACH_QUEUE(drain, queue)
		if (queue->wanted || queue->awaited)
			return false;
	return !drain->by_quiet || (is_quiet_for(drain, drain->quiet_ms) && drain->polls >= QUIET_POLLS && is_looked_through(drain));
}

static int out_of_time(const struct drain *drain)
{
	const struct queue *sends = &drain->queues[SENDS], *receives = &drain->queues[RECEIVES];
	const char *what = sends->full ? "the send queue is full, and nothing completes" :
			   receives->full ? "the receive queue is full, and nothing completes" :
			   sends->wanted || receives->wanted ? "its CQs could not be looked through" :
			   sends->awaited ? "requests of the send queue have not completed" :
			   receives->awaited ? "requests of the receive queue have not completed" :
			   "there was no quiet";

	return vx_fail(-EAGAIN, "vx_qp_drain", VX_NAME(drain->qp), "%s in time", what);
}

static void post_markers(struct drain *drain)
{
	FOR_EACH_QUEUE(drain, queue)
		if (queue->wanted)
			post_marker(drain, queue);
}

/* What has completed is taken before there is more: a CQ that is full of it would overflow, and be of no use to anybody any more. */
static int wait_for_markers(struct drain *drain)
{
	int count;

	for (;;) {
		count = poll_cqs(drain);
		if (count < 0)
			return count;
		drain->polls++;
		if (is_looked_through(drain))
			post_markers(drain);
		if (is_drained(drain))
			return 0;
		if (vx_now_ms() >= drain->end)
			return out_of_time(drain);
		if (!count)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
}

/* ---- what else completes there ---- */

/* What else is known to complete on a CQ; NULL: nothing. What libverbsx itself makes of a CQ only looks at it. */
static const struct vx_node *find_other_user(const struct vx_node *cq, const struct vx_node *qp)
{
	const struct vx_edge *edge;

	for (edge = cq->users; edge; edge = edge->older)
		if (edge->user != qp && edge->user->type != VX_OBJECT_POLLER && edge->user->type != VX_OBJECT_DISPATCHER)
			return edge->user;
	return NULL;
}

/* Without a function for them, completions of others would be lost. */
static int check_cqs(const struct vx_qp *qp)
{
	const struct vx_node *node = (const struct vx_node *)qp, *cq = NULL, *other = NULL;
	char who[VX_LONGEST_NAME];
	uint32_t i;

	vx_graph_lock();
	for (i = 0; i < node->uses && !other; i++) {
		cq = vx_node_used(node, i);
		other = cq->type == VX_OBJECT_CQ ? find_other_user(cq, node) : NULL;
	}
	if (other)
		vx_name_in(who, other); /* which may be closed once it is unlocked */
	vx_graph_unlock();
	return other ? vx_fail(-EBUSY, "vx_qp_drain", VX_NAME(qp), "%s uses %s as well: give a function for seen, which is told of all completions", who, VX_NAME(cq)) : 0;
}

static int64_t drain_until(int timeout_ms)
{
	return timeout_ms < 0 ? INT64_MAX : vx_now_ms() + timeout_ms;
}

/* Drivers of iWARP may fill no attribute, and 0 is RESET: what was ever moved may have been moved on since, by its connection manager. */
static void mend_state(struct ibv_qp_attr *attr, const struct ibv_qp *raw)
{
	if (raw->context->device->transport_type == IBV_TRANSPORT_IWARP && attr->qp_state == IBV_QPS_RESET && raw->state != IBV_QPS_RESET)
		attr->qp_state = IBV_QPS_RTS;
}

int vx_qp_drain(struct vx_qp *qp, int timeout_ms, vx_wc_function seen, void *data)
{
	struct drain drain = { .qp = qp, .seen = seen, .data = data, .end = drain_until(timeout_ms) };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int rc;

	if (vx_wrong(qp, VX_OBJECT_QP, "vx_qp_drain", "qp"))
		return -EINVAL;
	rc = seen ? 0 : check_cqs(qp);
	if (rc == 0)
		rc = vx_qp_query(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_CAP, &init);
	if (rc < 0)
		return rc;
	mend_state(&attr, vx_qp_raw(qp));
	if (attr.qp_state == IBV_QPS_RESET)
		return 0;
	find_cq(&drain, SENDS, vx_qp_raw(qp)->send_cq);
	find_cq(&drain, RECEIVES, vx_qp_raw(qp)->recv_cq == vx_qp_raw(qp)->send_cq ? NULL : vx_qp_raw(qp)->recv_cq);
	rc = check_polls(&drain);
	if (rc == 0 && attr.qp_state != IBV_QPS_ERR)
		rc = vx_qp_to_err(qp);
	if (rc < 0)
		return rc;
	take_markers(&drain);
	choose_markers(&drain, attr.qp_state, attr.port_num, &init.cap);
	begin_quiet(&drain);
	return wait_for_markers(&drain);
}
