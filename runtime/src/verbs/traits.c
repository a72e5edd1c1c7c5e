/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Of what form an object is: its link layer, whether it is extended, of a provider, or there once for several handles. */

#include <errno.h>

#include <verbsx/extended.h>

#include "error/fail.h"
#include "reason/reason.h"
#include "steps.h"

#define VX_TRACE_ASIDE
#include "traced.h"

bool vx_is_infiniband(const void *object, uint32_t port_num)
{
	struct ibv_port_attr port;

	return !ibv_query_port(vx_context_of(object), port_num ? (uint8_t)port_num : 1, &port) && port.link_layer == IBV_LINK_LAYER_INFINIBAND;
}

int vx_needs_provider(const char *call, const void *object, const char *library)
{
	if (!object || vx_is_provided_by(object, library))
		return 0;
	return vx_fail(-EOPNOTSUPP, call, VX_NAME(object), "this call is of %s, and the device is of another vendor", library);
}

int vx_wrong_or_foreign(const void *object, uint32_t kind, const char *call, const char *what, const char *library)
{
	return vx_wrong(object, kind, call, what) ? -EINVAL : vx_needs_provider(call, object, library);
}

/* ---- the extended form ---- */

struct ibv_qp_ex *vx_qp_ex(const struct vx_qp *qp)
{
	return qp && !vx_wrong(qp, VX_OBJECT_QP, "vx_qp_ex", "qp") ? ibv_qp_to_qp_ex(vx_qp_raw(qp)) : NULL;
}

/* All that are extended have wc_flags, be they given or the default. */
struct ibv_cq_ex *vx_cq_ex(const struct vx_cq *cq)
{
	const struct vx_kept_cq *kept;

	if (!cq || vx_wrong(cq, VX_OBJECT_CQ, "vx_cq_ex", "cq"))
		return NULL;
	kept = vx_node_extra((const struct vx_node *)cq);
	return kept->wc_flags ? (struct ibv_cq_ex *)vx_cq_raw(cq) : NULL;
}

/* ---- what exists once ---- */

static struct vx_kept_once *kept_of(const struct vx_node *node)
{
	return vx_node_extra(node);
}

static bool is_alike(const struct vx_node *a, const struct vx_node *b, size_t kept)
{
	return a != b && a->kind == b->kind && !memcmp(kept_of(a) + 1, kept_of(b) + 1, kept - sizeof(struct vx_kept_once));
}

static bool is_being_made(const struct vx_node *node)
{
	return node->state == VX_NODE_MAKING && vx_node_is_busy_elsewhere(node);
}

static bool is_being_ended(const struct vx_node *node)
{
	return kept_of(node)->ending && vx_node_is_busy_elsewhere(node);
}

static bool is_staying(const struct vx_node *node)
{
	return !kept_of(node)->ending;
}

/* Whether another one is alike, and so. Under the lock. */
static bool has_another(const struct vx_node *node, size_t kept, bool (*is_so)(const struct vx_node *))
{
	const struct vx_edge *edge;

	for (edge = vx_node_used(node, 0)->users; edge; edge = edge->older)
		if (is_alike(edge->user, node, kept) && is_so(edge->user))
			return true;
	return false;
}

void vx_once_begin(const struct vx_node *node, size_t kept)
{
	while (has_another(node, kept, is_being_ended))
		vx_graph_wait_for(VX_ANY_THREAD);
}

bool vx_once_ends(struct vx_node *node, size_t kept)
{
	bool last;

	vx_graph_lock();
	while (has_another(node, kept, is_being_made))
		vx_graph_wait_for(VX_ANY_THREAD);
	kept_of(node)->ending = true;
	last = !has_another(node, kept, is_staying);
	vx_graph_unlock();
	return last;
}

int vx_once_fail(int rc, const char *call, struct vx_node *node)
{
	VX_LOCKED(kept_of(node)->ending = false);
	return vx_destroy_fail(rc, call, node);
}
