/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Membership in multicast groups. */

#include <errno.h>
#include <string.h>

#include <verbsx/mcast.h>

#include "error/border.h"
#include "error/fail.h"
#include "object/make.h"
#include "reason/reason.h"
#include "traced.h"

/* What the handle keeps: the group first, which is printed. */
struct membership {
	struct vx_mcast_init group;
	bool leaving;
};

static struct membership *of(const struct vx_node *node)
{
	return vx_node_extra(node);
}

static bool is_same(const struct vx_mcast_init *a, const struct vx_mcast_init *b)
{
	return !memcmp(&a->gid, &b->gid, sizeof(a->gid)) && a->lid == b->lid;
}

static bool is_joining(const struct vx_node *node)
{
	return node->state == VX_NODE_MAKING && vx_node_is_busy_elsewhere(node);
}

static bool is_leaving(const struct vx_node *node)
{
	return of(node)->leaving && vx_node_is_busy_elsewhere(node);
}

static bool is_member(const struct vx_node *node)
{
	return !of(node)->leaving;
}

/*
 * Whether the QP has another membership of the group that is so. Under the lock. Kernels do not count how often a QP joins a
 * group: the first to leave would leave for all, and must not do so while another joins.
 */
static bool has_another(const struct vx_node *node, bool (*is_so)(const struct vx_node *))
{
	const struct vx_edge *edge;

	for (edge = vx_node_used(node, 0)->users; edge; edge = edge->older)
		if (edge->user != node && edge->user->kind == VX_OBJECT_MCAST &&
		    is_same(&of(edge->user)->group, &of(node)->group) && is_so(edge->user))
			return true;
	return false;
}

static void set_leaving(struct vx_node *node, bool leaving)
{
	vx_graph_lock();
	of(node)->leaving = leaving;
	vx_graph_unlock();
}

static bool is_last_to_leave(struct vx_node *node)
{
	bool last;

	vx_graph_lock();
	while (has_another(node, is_joining))
		vx_graph_wait();
	of(node)->leaving = true;
	last = !has_another(node, is_member);
	vx_graph_unlock();
	return last;
}

static int destroy_mcast(struct vx_node *node)
{
	int rc;

	if (!is_last_to_leave(node))
		return 0;
	errno = 0;
	rc = ibv_detach_mcast(node->object.raw, &of(node)->group.gid, of(node)->group.lid);
	if (!rc)
		return 0;
	set_leaving(node, false);
	return vx_destroy_fail(vx_code_returned(rc), "ibv_detach_mcast", node);
}

/* Known before it is true: closing another handle of the same group must not take the membership away. */
static int join(struct vx_node *node, struct ibv_qp *qp, const struct vx_mcast_init *group)
{
	vx_graph_lock();
	of(node)->group = *group;
	while (has_another(node, is_leaving))
		vx_graph_wait();
	vx_graph_unlock();
	errno = 0;
	return ibv_attach_mcast(qp, &group->gid, group->lid);
}

int vx_mcast_create_sized(struct vx_qp *parent, const struct vx_mcast_init *init, size_t size, struct vx_mcast **out)
{
	void *uses[] = { parent };
	struct vx_mcast_init own;
	struct vx_node *node;
	int rc;

	if (!init)
		return vx_fail(-EINVAL, "vx_mcast_create", NULL, "init is NULL, so there is no group");
	if (vx_take_in(&own, sizeof(own), init, size, "vx_mcast_create", "init") < 0)
		return vx_error()->code;
	if (vx_refuses(parent, VX_OBJECT_QP, out, "vx_mcast_create"))
		return -EINVAL;
	node = vx_node_new_with(sizeof(struct membership), VX_OBJECT_MCAST, destroy_mcast, uses, 1, "vx_mcast_create");
	if (!node)
		return vx_error()->code;
	rc = join(node, vx_qp_raw(parent), &own);
	if (rc)
		return vx_create_refused(vx_code_returned(rc), NULL, SIGNATURE_ibv_attach_mcast, node,
					 VX_ARGS(VX_ARG(vx_qp_raw(parent)), VX_ARG(&own.gid), own.lid));
	vx_node_link(node, vx_qp_raw(parent));
	*out = (struct vx_mcast *)node;
	return 0;
}
