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

static bool is_same(const struct vx_node *a, const struct vx_node *b)
{
	const struct vx_mcast_init *one = vx_node_extra(a), *other = vx_node_extra(b);

	return !memcmp(&one->gid, &other->gid, sizeof(one->gid)) && one->lid == other->lid;
}

/* Kernels do not count how often a QP joins a group: the first to leave would leave for all. */
static bool is_joined_by_another(const struct vx_node *node)
{
	const struct vx_edge *edge;

	for (edge = vx_node_used(node, 0)->users; edge; edge = edge->older)
		if (edge->user != node && edge->user->kind == VX_OBJECT_MCAST && is_same(edge->user, node))
			return true;
	return false;
}

static int destroy_mcast(struct vx_node *node)
{
	const struct vx_mcast_init *group = vx_node_extra(node);
	int rc;

	if (is_joined_by_another(node))
		return 0;
	errno = 0;
	rc = ibv_detach_mcast(node->object.raw, &group->gid, group->lid);
	return rc ? vx_destroy_fail(vx_code_returned(rc), "ibv_detach_mcast", node) : 0;
}

/*
 * Under the lock, and known before it is true: closing another handle of the same group must not take the membership away.
 */
static int join(struct vx_node *node, struct vx_qp *qp, const struct vx_mcast_init *group)
{
	struct vx_root *root = vx_node_root(node);
	int rc;

	pthread_mutex_lock(&root->lock);
	vx_node_link(node, vx_qp_raw(qp));
	errno = 0;
	rc = ibv_attach_mcast(vx_qp_raw(qp), &group->gid, group->lid);
	if (rc)
		vx_node_unlink(node);
	pthread_mutex_unlock(&root->lock);
	return rc;
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
	node = vx_node_new_with(sizeof(own), VX_OBJECT_MCAST, destroy_mcast, uses, 1, "vx_mcast_create");
	if (!node)
		return vx_error()->code;
	VX_CHECK(parent, VX_OBJECT_QP);
	*(struct vx_mcast_init *)vx_node_extra(node) = own;
	rc = join(node, parent, &own);
	if (rc)
		return vx_create_refused(vx_code_returned(rc), NULL, SIGNATURE_ibv_attach_mcast, node,
					 VX_ARGS(VX_ARG(vx_qp_raw(parent)), VX_ARG(&own.gid), own.lid));
	*out = (struct vx_mcast *)node;
	return 0;
}
