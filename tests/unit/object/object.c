/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The graph of handles, but for closing: making, moving, depending on more, giving back. */

#include <errno.h>
#include <string.h>

#include "node_bed.h"

Test(object_new, leaves_out_nulls_and_second_mentions)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *cq = make("c", root), *qp;
	void *uses[] = { pd, cq, NULL, cq, pd };

	qp = make_user("q", uses, 5);
	cr_expect_eq(qp->uses, 2);
	cr_expect_eq(count_users(cq), 1);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "qcpr");
}

Test(object_new, refuses_objects_of_two_contexts)
{
	struct vx_node *root = make_root(), *other = make_root(), *pd = make("p", root);
	void *uses[] = { pd, make("c", other) };

	cr_expect_null(vx_node_new(0, VX_OBJECT_TD, destroy, uses, 2, "vx_qp_create"));
	cr_expect_eq(vx_error()->code, -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "belongs to another context"), "%s", vx_error_text());
	cr_expect_eq(count_users(pd), 0);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_eq(vx_close(other), 0);
}

Test(object_new, is_a_root_where_all_that_it_may_depend_on_is_absent)
{
	void *uses[] = { NULL };
	struct vx_node *node = vx_node_new(0, VX_OBJECT_TD, destroy, uses, 1, "vx_pd_create");

	cr_assert_not_null(node);
	cr_expect_null(vx_node_ctx(node));
	vx_node_drop(node);
}

Test(object_new, has_room_of_its_own_behind_its_edges)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *node;
	void *uses[] = { pd, NULL, pd, root };
	char *extra;

	node = vx_node_new(24, 0, destroy, uses, 4, "make");
	cr_assert_not_null(node);
	extra = vx_node_extra(node);
	cr_expect_eq(extra[0] | extra[23], 0);
	memset(extra, 'x', 24);
	vx_node_link(node, (void *)"n", &node);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "npr", "what was written there did not touch the edges");
}

Test(object_move, makes_it_depend_on_the_new_parent)
{
	struct vx_node *root = make_root(), *old = make("o", root), *mr = make("m", old), *new = make("n", root);

	vx_node_move(mr, new);
	cr_expect_eq(vx_close(old), 0);
	cr_expect_str_eq(order, "o");
	cr_expect_eq(vx_close(new), 0);
	cr_expect_str_eq(order, "omn");
	cr_expect_eq(vx_close(root), 0);
}

Test(object_move, leaves_a_whole_graph)
{
	struct vx_node *root = make_root(), *old = make("o", root), *mr = make("m", old);

	make("1", old);
	vx_node_move(mr, make("n", root));
	make("2", old);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "mn21or");
}

static struct vx_node *make_as(uint32_t kind, const char *name, struct vx_node *parent)
{
	void *uses[] = { parent };

	return make_of_kind(kind, name, uses, 1);
}

Test(object_depend, closes_it_before_what_is_younger)
{
	struct vx_node *root = make_root(), *qp = make_as(VX_OBJECT_QP, "q", make("p", root));
	struct vx_node *first = make_as(VX_OBJECT_MLX5_SCHED_LEAF, "l", root);

	lean(qp, first, make_as(VX_OBJECT_MLX5_SCHED_LEAF, "m", root));
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "qmlpr");
}

Test(object_depend, forgets_what_it_depended_on)
{
	struct vx_node *root = make_root(), *qp = make_as(VX_OBJECT_QP, "q", root);
	struct vx_node *old = make_as(VX_OBJECT_MLX5_SCHED_LEAF, "o", root), *new = make_as(VX_OBJECT_MLX5_SCHED_LEAF, "n", root);

	lean(qp, old, old);
	cr_expect_eq(count_users(old), 1);
	lean(qp, NULL, new);
	cr_expect_eq(count_users(old), 0);
	cr_expect_eq(count_users(root), 3, "all else is as it was");
	cr_expect_eq(vx_close(old), 0);
	cr_expect_str_eq(order, "o");
	lean(qp, NULL, NULL);
	cr_expect_eq(vx_close(new), 0);
	cr_expect_str_eq(order, "on");
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "onqr");
}

Test(object_release, gives_the_raw_object_back)
{
	struct vx_node *root = make_root(), *a = make("a", root);
	void *raw = NULL;

	raw = vx_give_back(a);
	cr_expect_str_eq(raw, "a");
	cr_expect_eq(count_users(root), 0);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "r", "it is not destroyed");
}

Test(object_release, of_what_is_in_use_names_the_user)
{
	struct vx_node *root = make_root(), *a = make("a", root), *user = make("u", a);
	void *raw = NULL;

	raw = vx_give_back(a);
	cr_expect_eq(vx_error()->code, -EBUSY);
	cr_expect_null(raw);
	cr_expect_not_null(strstr(vx_error()->reason, "depends on it"), "%s", vx_error_text());
	raw = vx_give_back(user);
	raw = vx_give_back(a);
	cr_expect_eq(vx_close(root), 0);
}

Test(object_release, of_a_context_needs_all_that_was_made_from_it_closed)
{
	struct vx_node *root = make_root(), *user = make("u", root);
	void *raw = NULL;

	raw = vx_give_back(root);
	cr_expect_eq(vx_error()->code, -EBUSY);
	cr_expect_eq(vx_close(user), 0);
	raw = vx_give_back(root);
	cr_expect_not_null(raw);
	cr_expect_str_eq(order, "u", "it is not destroyed");
}
