/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Roots that are no context, contexts that have nothing in common, and the room behind a node. */

#include <errno.h>
#include <stddef.h>

#include "unit/object/toys.h"

/* As an event channel of librdmacm, and ids of it: one that has no device yet, and one that has. */
Test(graph, may_begin_with_what_is_no_context)
{
	struct vx_node *channel = make_with(VX_OBJECT_COMP_CNTR, NULL, NULL, 0), *early = make(channel, NULL), *root, *id, *pd, *qp;
	void *uses[2] = { channel }, *both[2];
	char name[64];

	cr_expect_null(vx_node_ctx(early));
	cr_expect_null(vx_context_of(channel));
	vx_object_name(name, sizeof(name), early);
	cr_expect_str_eq(name, "td #1");

	root = uses[1] = make_root();
	id = make_with(VX_OBJECT_TD, NULL, uses, 2);
	cr_expect_eq(vx_node_ctx(id), root);
	cr_expect_null(vx_node_ctx(channel));
	pd = make(root, NULL);
	both[0] = id;
	both[1] = pd;
	qp = make_with(VX_OBJECT_TD, NULL, both, 2);
	cr_expect_eq(vx_node_ctx(qp), root);
	cr_expect_eq(vx_close(channel), 0);
	cr_expect_null(pd->users, "the QP went with its id");
	cr_expect_eq(root->users->user, pd, "and the id left its context");
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, of_one_context_takes_nothing_of_another)
{
	struct ibv_context strange = { .device = &device };
	struct vx_node *root = make_root(), *other = make_with(VX_OBJECT_CTX, &strange, NULL, 0);
	void *uses[] = { make(root, NULL), other };

	cr_expect_null(vx_node_new(0, VX_OBJECT_TD, destroy, uses, 2, "resolve"));
	cr_expect_str_eq(vx_error_text(), "resolve: Invalid argument: toy#2 belongs to another context");
	cr_expect_eq(vx_close(other), 0);
	cr_expect_eq(vx_close(root), 0);
}

/* As a QP that sends and receives by one CQ. */
Test(graph, has_no_edge_for_a_second_mention)
{
	struct vx_node *root = make_root(), *cq = make(root, NULL), *qp;
	void *uses[] = { root, cq, cq };

	qp = make_with(VX_OBJECT_TD, NULL, uses, 3);
	cr_expect_eq(qp->uses, 2);
	cr_expect_eq(qp->room, 2);
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, has_room_for_anything_behind_a_node)
{
	void *uses[8] = { make_root() };
	struct vx_node *node;
	size_t i;

	for (i = 1; i < 8; i++) {
		uses[i] = make(uses[0], NULL);
		node = vx_node_new(sizeof(max_align_t), VX_OBJECT_TD, destroy, uses, i, "make");
		cr_expect_eq((uintptr_t)vx_node_extra(node) % _Alignof(max_align_t), 0, "behind %zu edges", i);
		cr_expect_geq((char *)vx_node_extra(node), (char *)(node + 1) + i * sizeof(struct vx_edge));
		vx_node_drop(node);
	}
	cr_expect_eq(vx_close(uses[0]), 0);
}
