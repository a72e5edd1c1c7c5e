/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The short data path of an id: through what stands before its QP and SRQ, and why it has failed. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_verbs.h>

#include <verbsx/cm.h>

#include "error/fail.h"
#include "guard/guard.h"
#include "object/make.h"
#include "text/out.h"

/* ---- what stands before an id ---- */

/*
 * librdmacm posts to what an id has as QP or SRQ, which are raw ones. Where one of them is checked or shown, what looks like the id has this
 * QP in their place; which one it goes on to is looked for with each request, as the id may have got another.
 */
struct front_id {
	struct rdma_cm_id id;
	struct ibv_qp qp;
	struct ibv_context context;
};

static const struct rdma_cm_id *id_before(const struct ibv_qp *front)
{
	const struct front_id *before = (const struct front_id *)(const void *)((const char *)front - offsetof(struct front_id, qp));

	return vx_front_head(before)->node->object.raw;
}

static void *handle_front(void *raw, uint32_t type)
{
	const struct vx_object *handle = vx_handle_of(raw, type);

	return handle ? handle->front : raw;
}

/* librdmacm fills only what the opcode is for: what the rest of the stack holds is nobody's. */
static int send_by_id(struct ibv_qp *front, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct ibv_send_wr own = { .wr_id = wr->wr_id, .sg_list = wr->sg_list, .num_sge = wr->num_sge, .opcode = wr->opcode,
				   .send_flags = wr->send_flags, .wr = wr->wr };

	return ibv_post_send(handle_front(id_before(front)->qp, VX_OBJECT_QP), &own, bad_wr);
}

static int receive_by_id(struct ibv_qp *front, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	const struct rdma_cm_id *id = id_before(front);

	return id->srq ? ibv_post_srq_recv(handle_front(id->srq, VX_OBJECT_SRQ), wr, bad_wr) :
			 ibv_post_recv(handle_front(id->qp, VX_OBJECT_QP), wr, bad_wr);
}

struct wanted {
	const void *raw;
	struct vx_node *found;
};

static bool has_raw(const struct vx_node *node, const void *of)
{
	struct wanted *wanted = (struct wanted *)(uintptr_t)of;
	const struct rdma_cm_id *id = node->object.raw;

	if (vx_node_has_raw(node) && (id->qp == wanted->raw || id->srq == wanted->raw))
		wanted->found = (struct vx_node *)(uintptr_t)node;
	return wanted->found;
}

/* The id, or the one whose QP or SRQ a raw object is, if there is one. */
static int go_through(struct vx_node *id, const void *raw, const char *call)
{
	struct front_id *front = vx_front_new(sizeof(*front), call);
	struct wanted wanted = { raw, id };

	if (!front)
		return -ENOMEM;
	front->id.qp = &front->qp;
	front->qp.context = &front->context;
	front->context.ops.post_send = send_by_id;
	front->context.ops.post_recv = receive_by_id;
	vx_graph_lock();
	if (raw && vx_registry_any(VX_OBJECT_CM_ID, has_raw, &wanted))
		id = wanted.found;
	if (id && id->object.front == id->object.raw) {
		vx_front_put(id, front);
		front = NULL;
	}
	vx_graph_unlock();
	if (front)
		free(vx_front_head(front));
	return 0;
}

int vx_id_goes_through(const void *raw, const char *call)
{
	return go_through(NULL, raw, call);
}

int vx_new_goes_through(const struct vx_node *node, const char *call)
{
	struct vx_node *parent = vx_node_used(node, 0);

	return parent->type == VX_OBJECT_CM_ID ? go_through(parent, NULL, call) : 0;
}

/* ---- why it has failed ---- */

/* Why the header has not called librdmacm at all; what is in errno is then of a call before. */
static const char *lacking(const struct rdma_cm_id *id, const char *call)
{
	if (!strncmp(call, "rdma_get_", 9) && !(strstr(call, "send") ? id->send_cq_channel : id->recv_cq_channel))
		return "librdmacm has made no CQ for it: poll the one that its QP was made with";
	if (strncmp(call, "rdma_post_", 10) != 0)
		return NULL;
	if (!id->qp && !(id->srq && strstr(call, "recv")))
		return "the id has no QP: vx_cm_qp_create() makes one";
	if (id->qp_type == IBV_QPT_UD && !strstr(call, "recv") && !strstr(call, "ud"))
		return "it is an id of datagrams, which goes nowhere by itself: vx_cm_id_post_ud_send() says where to";
	return NULL;
}

int vx_cm_wait_recv(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	return rdma_get_recv_comp(id, wc);
}

int vx_cm_wait_send(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	return rdma_get_send_comp(id, wc);
}

/* What is checked has told what is negative. */
static bool is_told(const struct rdma_cm_id *id, const char *call, int code)
{
	const void *raw = id->srq && strstr(call, "recv") ? (const void *)id->srq : id->qp, *handle;

	if (code >= 0 || strncmp(call, "rdma_post_", 10) != 0)
		return false;
	handle = vx_handle_of(raw, 0);
	return handle && vx_is_checked(handle);
}

int vx_cm_post_fail(const struct vx_cm_id *cm_id, const char *call)
{
	const struct rdma_cm_id *id = vx_cm_id_raw(cm_id);
	const bool posts = !strncmp(call, "rdma_post_", 10), sends = !strstr(call, "recv");
	const int left = errno, code = left < 0 ? left : vx_code_in_errno(); /* providers give codes of either sign */
	const char *lacks = lacking(id, call);

	if (!lacks && posts) {
		if (is_told(id, call, left))
			return code;
		if (sends && vx_sends_too_early(id->qp))
			lacks = "the QP cannot send yet: ESTABLISHED, or the end of a synchronous vx_cm_id_connect() or vx_cm_id_accept(), comes before";
	}
	if (lacks)
		return vx_fail(-EINVAL, call, VX_NAME(cm_id), "%s", lacks);
	if (code == -ENOMEM && posts) /* as the posts of QPs say it */
		return vx_fail(-EAGAIN, call, VX_NAME(cm_id), "the %s", sends ?
			       "send queue is full: poll its completions first, which signaled requests alone have" :
			       "receive queue is full: poll its completions first");
	return vx_call_fail(code, call, VX_NAME(cm_id), NULL);
}

int vx_cm_post_long(const struct vx_cm_id *cm_id, const char *call, size_t length)
{
	const char *lacks = lacking(vx_cm_id_raw(cm_id), call);

	if (lacks)
		return vx_fail(-EINVAL, call, VX_NAME(cm_id), "%s", lacks);
	return vx_fail(-EINVAL, call, VX_NAME(cm_id), "length = %zu, and a request has room for 0xffffffff: no message is that long", length);
}
