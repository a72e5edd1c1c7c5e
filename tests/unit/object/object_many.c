/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The graph of handles where there are many of them, and many threads. */

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <verbsx/config.h>

#include "node_bed.h"

#define THREADS 8
#define ROUNDS 200

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
	/* The most first: where handles are checked, those that are kept for that lie about in the memory of all that follow. */
	double large = fastest_of_three(time_to_close, 1000000), small = fastest_of_three(time_to_close, 100000);

	cr_expect_lt(large, 20 * small, "%g s for 1,000,000, %g s for 100,000", large, small);
}

/* What each looked through all the others for would take ten thousand times as long; what no cache holds may take some times longer. */
Test(object_depend, of_a_hundred_thousand_takes_about_a_hundred_times_as_long_as_of_a_thousand)
{
	double small = fastest_of_three(time_to_lean, 1000), large = fastest_of_three(time_to_lean, 100000);

	cr_expect_lt(large, 1000 * small, "%g s for 100,000, %g s for 1,000", large, small);
}

/* A size that nothing else asks for; malloc(3) would give what was freed last to who asks next. */
Test(object_many, in_turn_lie_where_the_last_has_lain)
{
	struct vx_node *root = make_root(), *node = vx_node_new(600, VX_OBJECT_TD, destroy, (void *[]){ root }, 1, "make"), *next;
	const uintptr_t at = (uintptr_t)node;
	const size_t size = malloc_usable_size(node);
	void *between;

	vx_node_link(node, (void *)"a", &node);
	memset(vx_node_extra(node), 1, 600);
	cr_assert_eq(vx_close(node), 0);
	between = malloc(size);
	next = vx_node_new(600, VX_OBJECT_TD, destroy, (void *[]){ root }, 1, "make");
	cr_expect_eq((uintptr_t)next == at, vx_graph.reuses && !VERBSX_CHECKS);
	cr_expect_eq(((const char *)vx_node_extra(next))[599], 0, "what it keeps is its own");
	vx_node_drop(next);
	free(between);
	cr_expect_eq(vx_close(root), 0);
}

static bool is_one_of(const uintptr_t *list, size_t count, uintptr_t at)
{
	while (count && list[count - 1] != at)
		count--;
	return count;
}

Test(object_many, leave_others_the_room_where_they_have_lain)
{
	struct vx_node *root = make_root(), *nodes[20];
	bool is_left = false;
	uintptr_t at[20];
	size_t i, size;
	void *taken[20];

	for (i = 0; i < 20; i++) {
		nodes[i] = vx_node_new(600, VX_OBJECT_TD, destroy, (void *[]){ root }, 1, "make");
		at[i] = (uintptr_t)nodes[i];
	}
	size = malloc_usable_size(nodes[0]);
	for (i = 0; i < 20; i++)
		vx_node_drop(nodes[i]);
	for (i = 0; i < 20; i++) {
		taken[i] = malloc(size);
		is_left |= is_one_of(at, 20, (uintptr_t)taken[i]);
	}
	cr_expect(is_left || !vx_graph.reuses);
	for (i = 0; i < 20; i++)
		free(taken[i]);
	cr_expect_eq(vx_close(root), 0);
}
