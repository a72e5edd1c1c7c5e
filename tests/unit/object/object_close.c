/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Closing: in what order nodes go, and what stays where one cannot. */

#include <errno.h>
#include <string.h>

#include "node_bed.h"

Test(object_close, takes_dependents_first_and_the_newest_of_them_first)
{
	struct vx_node *root = make_root(), *a = make("a", root);

	make("b", root);
	make("1", a);
	make("2", a);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "b21ar");
}

Test(object_close, of_one_leaves_its_siblings_and_its_parent)
{
	struct vx_node *root = make_root(), *b;

	make("a", root);
	b = make("b", root);
	make("c", root);
	cr_expect_eq(vx_close(b), 0);
	cr_expect_str_eq(order, "b");
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "bcar");
}

Test(object_close, of_anything_used_takes_the_user)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *cq = make("c", root), *srq = make("s", pd);
	void *uses[] = { pd, cq, srq };

	make_user("q", uses, 3);
	cr_expect_eq(vx_close(cq), 0);
	cr_expect_str_eq(order, "qc");
	cr_expect_eq(count_users(pd), 1, "the SRQ alone");
	cr_expect_eq(count_users(srq), 0);

	uses[1] = make("d", root);
	make_user("Q", uses, 3);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "qcQdspr");
}

Test(object_close, passes_by_what_a_dependent_took_along)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *srq = make("s", pd);
	void *both[] = { pd, srq };

	make_user("1", both, 2);
	make("m", pd);
	make_user("2", both, 2);
	cr_expect_eq(vx_close(pd), 0);
	cr_expect_str_eq(order, "2m1sp");
	cr_expect_eq(vx_close(root), 0);
}

Test(object_close, stops_at_what_cannot_be_closed_and_goes_on_later)
{
	struct vx_node *root = make_root(), *a = make("a", root), *b, *one = make("1", a);

	b = make("b", root);
	stubborn = "1";
	cr_expect_eq(vx_close(a), -EBUSY);
	cr_expect_str_eq(order, "", "neither what it depends on nor anything else");
	cr_expect_eq(count_users(root), 2);
	cr_expect_eq(a->users->user, one);
	make("2", a);
	cr_expect_eq(vx_close(b), 0, "the rest works as before");
	stubborn = "";
	cr_expect_eq(vx_close(a), 0);
	cr_expect_str_eq(order, "b21a");
	cr_expect_eq(vx_close(root), 0);
}

Test(object_close, keeps_what_an_obstinate_one_depends_on)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *cq = make("c", root), *mr = make("m", pd);
	void *uses[] = { pd, cq };

	make_user("q", uses, 2);
	(void)mr;
	stubborn = "q";
	cr_expect_eq(vx_close(root), -EBUSY);
	cr_expect_str_eq(order, "m", "all that the QP does not need may go");
	cr_expect_eq(count_users(cq), 1);
	stubborn = "";
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "mqcpr");
}

Test(object_close, tries_again_when_something_else_has_gone)
{
	struct vx_node *root = make_root();

	make("k", root);
	make("m", root); /* which the other one keeps, as the graph does not know */
	stubborn = "m";
	waits_for = "k";
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "kmr");
}

Test(object_close, takes_windows_before_all_else_wherever_they_are)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *cq = make("c", root);
	void *both[] = { pd, cq };

	make_of_kind(VX_OBJECT_MW, "1", both, 1);
	make_of_kind(VX_OBJECT_MW, "2", both, 1);
	make_user("q", both, 2);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "21qcpr");
}

Test(object_close, takes_a_window_that_was_refused_at_first_with_the_rest)
{
	struct vx_node *root = make_root(), *pd = make("p", root);

	make_of_kind(VX_OBJECT_MW, "w", (void *[]){ pd }, 1);
	make("m", pd);
	stubborn = "w";
	waits_for = "m";
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "mwpr");
	cr_expect_eq(vx_error()->code, 0, "%s", vx_error_text());
}

Test(object_close, of_what_a_window_does_not_depend_on_leaves_it)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *cq = make("c", root);
	void *both[] = { pd, cq };

	make_of_kind(VX_OBJECT_MW, "w", both, 1);
	make_user("q", both, 2);
	cr_expect_eq(vx_close(cq), 0);
	cr_expect_str_eq(order, "qc");
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "qcwpr");
}

Test(object_close, of_a_stubborn_root_keeps_it)
{
	struct vx_node *root = make_root();

	stubborn = "r";
	cr_expect_eq(vx_close(root), -EBUSY);
	stubborn = "";
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "r");
}

/* Of three dependents, the newest and the oldest could go. */
Test(object_close, of_what_a_function_is_using_closes_nothing_until_that_returns)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *used;

	make("o", pd);
	used = make("u", make("b", pd));
	make("n", pd);
	vx_node_call_begins(used);
	vx_node_call_begins(used);
	cr_expect_eq(vx_close(root), -EBUSY);
	cr_expect_str_eq(vx_error_text(), "vx_close on toy td #4: Device or resource busy: "
					  "a function of the program was called to use it, and has not returned yet");
	vx_node_call_ends(used);
	cr_expect_eq(vx_close(used), -EBUSY);
	cr_expect_eq(vx_close(root), -EBUSY, "what was looked at for one close is looked at for the next");
	cr_expect_str_eq(order, "");
	vx_node_call_ends(used);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "nubopr");
}

/* The lock is let go of while rdma-core destroys: what was looked at before may be in use when its turn comes. */
Test(object_close, in_the_midst_of_which_another_thread_begins_a_call_stops_there_and_goes_on_later)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *used;

	make("o", pd);
	called = used = make("u", pd);
	make("n", pd);
	cr_expect_eq(vx_close(root), -EBUSY);
	cr_expect_not_null(strstr(vx_error_text(), "has not returned yet"), "%s", vx_error_text());
	cr_expect_str_eq(order, "no", "all else that was below, but nothing that it depends on");
	cr_expect_eq(vx_close(root), -EBUSY, "which closes nothing: the call is seen before");
	make("w", pd);
	cr_expect_eq(vx_close(used), -EBUSY);
	cr_expect_str_eq(order, "no", "what is left can be used, and more be made of it");
	vx_node_call_ends(used);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "nowupr");
}

Test(object_close, of_what_something_is_being_made_of_closes_nothing)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *made;
	void *uses[] = { pd };

	make("o", pd);
	made = vx_node_new(0, VX_OBJECT_TD, destroy, uses, 1, "make");
	cr_expect_eq(vx_close(root), -EBUSY);
	cr_expect_str_eq(vx_error_text(), "vx_close: Device or resource busy: the td is being made");
	cr_expect_str_eq(order, "");
	vx_node_drop(made);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "opr");
}

Test(object_close, of_null_is_fine)
{
	cr_expect_eq(vx_close(NULL), 0);
}
