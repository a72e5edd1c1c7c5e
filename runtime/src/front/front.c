/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands before an object on the data path, and goes on to the next: lists of requests of a QP, and what has completed on a CQ. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/objects.h>

#include "error/fail.h"
#include "front.h"
#include "kinds.h"

#define VX_TRACE_ASIDE
#include "traced.h"

void *vx_front_new(size_t size, const char *call)
{
	struct vx_front *head = calloc(1, sizeof(*head) + size);

	if (head)
		return head + 1;
	vx_fail(-ENOMEM, call, NULL, NULL);
	return NULL;
}

void *vx_front_find(const struct vx_node *node, enum vx_front_what what)
{
	void *front = vx_front_now(node);

	while (front != node->object.raw && vx_front_head(front)->what != what)
		front = vx_front_next(front);
	return front == node->object.raw ? NULL : front;
}

/* ---- sizes ---- */

bool vx_ask_cap(struct ibv_qp *qp, struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_CAP, &init))
		return false;
	*cap = init.cap;
	return true;
}

/* Of QPs that were asked lately, by their number among all that were made: a handle has no room for what few need. */
static struct asked_cap {
	uint32_t serial;
	struct ibv_qp_cap cap;
} asked_caps[32];

/* An opened QP is counted among those alone. */
static bool cap_of_qp(const struct vx_node *node, struct ibv_qp_cap *cap)
{
	struct asked_cap *asked = &asked_caps[node->serial % (sizeof(asked_caps) / sizeof(asked_caps[0]))];
	const bool is_counted = node->kind == VX_OBJECT_QP;
	bool is_known;

	vx_graph_lock();
	is_known = is_counted && asked->serial == node->serial;
	*cap = asked->cap;
	vx_graph_unlock();
	if (is_known)
		return true;
	is_known = vx_ask_cap(node->object.raw, cap);
	vx_graph_lock();
	if (is_known && is_counted)
		*asked = (struct asked_cap){ node->serial, *cap };
	vx_graph_unlock();
	return is_known;
}

/* Of a WQ nobody can be asked: rdma-core has no call for it. */
static bool cap_of_wq(const struct vx_node *node, struct ibv_qp_cap *cap)
{
	const struct vx_kept_wq *kept = vx_node_extra(node);

	*cap = (struct ibv_qp_cap){ .max_recv_wr = kept->max_wr, .max_recv_sge = kept->max_sge };
	return kept->known;
}

static bool cap_of_srq(const struct vx_node *node, struct ibv_qp_cap *cap)
{
	struct ibv_srq_attr attr = { 0 };
	const bool is_known = !ibv_query_srq(node->object.raw, &attr);

	*cap = (struct ibv_qp_cap){ .max_recv_wr = attr.max_wr, .max_recv_sge = attr.max_sge };
	return is_known;
}

bool vx_known_cap(const struct vx_node *node, struct ibv_qp_cap *cap)
{
	if (node->type == VX_OBJECT_QP ? cap_of_qp(node, cap) : node->type == VX_OBJECT_SRQ ? cap_of_srq(node, cap) : cap_of_wq(node, cap))
		return true;
	memset(cap, 0xff, sizeof(*cap));
	return false;
}

/* ---- QPs ---- */

static int front_post_send(struct ibv_qp *front, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	return ibv_post_send(vx_front_next(front), wr, bad_wr);
}

static int front_post_recv(struct ibv_qp *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return ibv_post_recv(vx_front_next(front), wr, bad_wr);
}

void *vx_front_qp_new(const struct ibv_qp_ex *next, size_t size, void (*fail)(struct ibv_qp_ex *front), const char *call)
{
	struct vx_front_qp *front = vx_front_new(size, call);
	size_t i;

	if (!front)
		return NULL;
	front->qp.qp_base = next->qp_base; /* a plain QP is no longer than that; the locks in it are nobody's */
	front->qp.qp_base.context = &front->context;
	front->context.ops.post_send = front_post_send;
	front->context.ops.post_recv = front_post_recv;
	for (i = 0; i < VX_SPARE_POINTERS; i++)
		front->spare[i] = (void (*)(void))fail;
	return front;
}

/* ---- CQs ---- */

int vx_front_show(struct ibv_cq_ex *front, const struct ibv_cq_ex *next, int rc)
{
	front->wr_id = next->wr_id;
	front->status = next->status;
	((struct vx_front_cq *)front)->last = rc;
	return rc;
}

static int front_start_poll(struct ibv_cq_ex *front, struct ibv_poll_cq_attr *attr)
{
	struct ibv_cq_ex *next = vx_front_next(front);

	return vx_front_show(front, next, ibv_start_poll(next, attr));
}

static int front_next_poll(struct ibv_cq_ex *front)
{
	struct ibv_cq_ex *next = vx_front_next(front);

	return vx_front_show(front, next, ibv_next_poll(next));
}

static void front_end_poll(struct ibv_cq_ex *front)
{
	ibv_end_poll(vx_front_next(front));
}

static int front_poll_cq(struct ibv_cq *front, int entries, struct ibv_wc *wc)
{
	return ibv_poll_cq(vx_front_next(front), entries, wc);
}

static int front_req_notify_cq(struct ibv_cq *front, int solicited_only)
{
	return ibv_req_notify_cq(vx_front_next(front), solicited_only);
}

/* What only newer headers have reads as 0; whoever calls it expects a number or nothing. */
static uint64_t read_nothing(void)
{
	return 0;
}

void *vx_front_cq_new(const struct ibv_cq_ex *next, size_t size, const char *call)
{
	struct vx_front_cq *front = vx_front_new(size, call);
	size_t i;

	if (!front)
		return NULL;
	memcpy(&front->cq, next, sizeof(struct ibv_cq)); /* which a plain CQ is no longer than */
	front->cq.context = &front->context;
	front->cq.start_poll = front_start_poll;
	front->cq.next_poll = front_next_poll;
	front->cq.end_poll = front_end_poll;
	vx_front_cq_reads(&front->cq);
	for (i = 0; i < VX_SPARE_POINTERS; i++)
		front->spare[i] = (void (*)(void))read_nothing;
	front->context.ops.poll_cq = front_poll_cq;
	front->context.ops.req_notify_cq = front_req_notify_cq;
	return front;
}

/* ---- librxe before 59 ---- */

static void end_unless_at_end(struct ibv_cq_ex *front)
{
	if (((struct vx_front_cq *)front)->last != ENOENT)
		ibv_end_poll(vx_front_next(front));
}

void *vx_mend_end_poll(const struct ibv_cq_ex *next, const char *call)
{
	struct vx_front_cq *front = vx_front_cq_new(next, sizeof(*front), call);

	if (front)
		front->cq.end_poll = end_unless_at_end;
	return front;
}
