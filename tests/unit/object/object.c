/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The graph of handles, made of nodes that stand for nothing. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/error.h>
#include <verbsx/objects.h>

#include "object/object.h"

#define THREADS 8
#define ROUNDS 200

static struct ibv_device device = { .name = "toy" };
static struct ibv_context context = { .device = &device };
static char order[64]; /* names of the nodes that were destroyed, in turn */
static const char *stubborn = ""; /* a node of this name cannot be destroyed */
static const char *waits_for = ""; /* until one of this name has been */

static struct vx_node *called; /* by another thread, while the first node is destroyed */

static void *begin_call(void *node)
{
	vx_node_call_begins(node);
	return NULL;
}

static void call_meanwhile(void)
{
	pthread_t caller;

	cr_assert_eq(pthread_create(&caller, NULL, begin_call, called), 0);
	cr_assert_eq(pthread_join(caller, NULL), 0);
	called = NULL;
}

static int destroy(struct vx_node *node)
{
	const char *name = node->object.raw;

	if (called)
		call_meanwhile();
	if (*stubborn && !strcmp(name, stubborn) && (!*waits_for || !strstr(order, waits_for)))
		return -EBUSY;
	strcat(order, name);
	return 0;
}

static int destroy_root(struct vx_node *node)
{
	(void)node;
	if (!strcmp(stubborn, "r"))
		return -EBUSY;
	strcat(order, "r");
	return 0;
}

static int destroy_silently(struct vx_node *node)
{
	(void)node;
	return 0;
}

static struct vx_node *make_root(void)
{
	struct vx_node *root = vx_node_new(0, VX_OBJECT_CTX, destroy_root, NULL, 0, "make");

	vx_node_link(root, &context, &root);
	return root;
}

static struct vx_node *make_of_kind(uint32_t kind, const char *name, void *const *uses, size_t count)
{
	struct vx_node *node = vx_node_new(0, kind, destroy, uses, count, "make");

	cr_assert_not_null(node, "%s", vx_error_text());
	vx_node_link(node, (void *)name, &node);
	return node;
}

static struct vx_node *make_user(const char *name, void *const *uses, size_t count)
{
	return make_of_kind(VX_OBJECT_TD, name, uses, count);
}

static struct vx_node *make(const char *name, struct vx_node *parent)
{
	void *uses[] = { parent };

	return make_user(name, uses, 1);
}

static size_t count_users(const struct vx_node *node)
{
	const struct vx_edge *edge;
	size_t count = 0;

	for (edge = node->users; edge; edge = edge->older)
		count++;
	return count;
}

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
	struct vx_node *node = vx_node_new(0, kind, destroy, uses, 1, "make");

	cr_assert_not_null(node, "%s", vx_error_text());
	vx_node_link(node, (void *)(uintptr_t)name, &node);
	return node;
}

static void lean(struct vx_node *node, struct vx_node *first, struct vx_node *second)
{
	void *uses[] = { first, second };

	cr_assert_eq(vx_node_make_room(node, VX_OBJECT_MLX5_SCHED_LEAF, 2, "lean"), 0);
	vx_node_depend(node, VX_OBJECT_MLX5_SCHED_LEAF, uses, 2);
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

static void *make_and_close(void *parent)
{
	void *uses[] = { parent };
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct vx_node *node = vx_node_new(0, VX_OBJECT_TD, destroy_silently, uses, 1, "make");
		struct vx_node *kept = vx_node_new(0, VX_OBJECT_TD, destroy_silently, uses, 1, "make");

		vx_node_link(node, NULL, &node);
		vx_node_link(kept, NULL, &kept);
		if (vx_close(node) < 0)
			return parent;
	}
	return NULL;
}

Test(object_close, by_many_threads_leaves_a_whole_graph)
{
	struct vx_node *root = make_root(), *pd = make("p", root);
	pthread_t threads[THREADS];
	void *failed;
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, make_and_close, pd);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		cr_expect_null(failed);
	}
	cr_expect_eq(count_users(pd), THREADS * ROUNDS);
	cr_expect_eq(vx_close(root), 0);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The seconds that closing a parent of so many takes, each of which uses another object as well. */
static double time_to_close(size_t count)
{
	struct vx_node *root = make_root(), *pd = make("p", root), *dm = make("d", root), *user;
	void *uses[] = { pd, dm };
	double start;
	size_t i;

	for (i = 0; i < count; i++)
		vx_node_link(vx_node_new(0, VX_OBJECT_TD, destroy_silently, uses, 2, "make"), NULL, &user);
	start = now();
	cr_assert_eq(vx_close(pd), 0);
	start = now() - start;
	cr_assert_null(dm->users);
	order[0] = '\0';
	cr_assert_eq(vx_close(root), 0);
	order[0] = '\0';
	return start;
}

/* The same of making and closing those that come to depend on something else, each on its own. */
static double time_to_lean(size_t count)
{
	struct vx_node *root = make_root(), **oldest_first = calloc(count, sizeof(*oldest_first)), *leaf;
	void *uses[] = { root };
	double start = now();
	size_t i;

	for (i = 0; i < count; i++) {
		vx_node_link(vx_node_new(0, VX_OBJECT_TD, destroy_silently, uses, 1, "make"), NULL, &oldest_first[i]);
		vx_node_link(vx_node_new(0, VX_OBJECT_TD, destroy_silently, uses, 1, "make"), NULL, &leaf);
		lean(oldest_first[i], leaf, NULL);
	}
	for (i = 0; i < count; i++)
		cr_assert_eq(vx_close(oldest_first[i]), 0);
	cr_assert_eq(vx_close(root), 0);
	start = now() - start;
	free(oldest_first);
	order[0] = '\0';
	return start;
}

static double fastest_of_three(double (*time_of)(size_t count), size_t count)
{
	double best = time_of(count), next;
	int i;

	for (i = 0; i < 2; i++) {
		next = time_of(count);
		best = next < best ? next : best;
	}
	return best;
}

Test(object_close, of_a_million_children_takes_ten_times_as_long_as_of_a_tenth)
{
	double small = fastest_of_three(time_to_close, 100000), large = fastest_of_three(time_to_close, 1000000);

	cr_expect_lt(large, 20 * small, "%g s for 1,000,000, %g s for 100,000", large, small);
}

Test(object_depend, of_ten_thousand_takes_ten_times_as_long_as_of_a_tenth)
{
	double small = fastest_of_three(time_to_lean, 1000), large = fastest_of_three(time_to_lean, 10000);

	cr_expect_lt(large, 30 * small, "%g s for 10,000, %g s for 1,000", large, small);
}
