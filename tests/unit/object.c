/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* The tree of handles, made of nodes that stand for nothing. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "object.h"

#define THREADS 8
#define ROUNDS 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[64]; /* names of the nodes that were destroyed, in turn */
static const char *stubborn = ""; /* a node of this name cannot be destroyed */

static int destroy(struct vx_node *node)
{
	const char *name = node->object.raw;

	if (!strcmp(name, stubborn))
		return -EBUSY;
	strcat(order, name);
	return 0;
}

static int destroy_silently(struct vx_node *node)
{
	(void)node;
	return 0;
}

static struct vx_node *make(const char *name, struct vx_node *parent)
{
	struct vx_node *node = calloc(1, sizeof(*node));

	node->object.raw = (void *)name;
	node->destroy = destroy;
	node->lock = &lock;
	if (parent)
		vx_node_adopt(parent, node);
	return node;
}

Test(object_close, takes_dependents_first_and_the_newest_of_them_first)
{
	struct vx_node *root = make("r", NULL), *a = make("a", root);

	make("b", root);
	make("1", a);
	make("2", a);
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "b21ar");
}

Test(object_close, of_one_leaves_its_siblings_and_its_parent)
{
	struct vx_node *root = make("r", NULL), *b;

	make("a", root);
	b = make("b", root);
	make("c", root);
	cr_expect_eq(vx_close(b), 0);
	cr_expect_str_eq(order, "b");
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "bcar");
}

Test(object_close, stops_at_what_cannot_be_closed_and_goes_on_later)
{
	struct vx_node *root = make("r", NULL), *a = make("a", root);

	make("1", a);
	make("b", root);
	stubborn = "1";
	cr_expect_eq(vx_close(root), -EBUSY);
	cr_expect_str_eq(order, "b", "what was newer is closed, what 1 depends on is not");
	stubborn = "";
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "b1ar");
}

Test(object_close, of_a_stubborn_root_keeps_it)
{
	struct vx_node *root = make("r", NULL);

	stubborn = "r";
	cr_expect_eq(vx_close(root), -EBUSY);
	stubborn = "";
	cr_expect_eq(vx_close(root), 0);
	cr_expect_str_eq(order, "r");
}

Test(object_close, of_null_is_fine)
{
	cr_expect_eq(vx_close(NULL), 0);
}

static void *make_and_close(void *root)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct vx_node *node = make("", root), *kept = make("", root);

		node->destroy = destroy_silently;
		kept->destroy = destroy_silently;
		if (vx_close(node) < 0)
			return root;
	}
	return NULL;
}

Test(object_close, by_many_threads_leaves_a_whole_tree)
{
	struct vx_node *root = make("r", NULL), *node;
	pthread_t threads[THREADS];
	int i, left = 0;
	void *failed;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, make_and_close, root);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		cr_expect_null(failed);
	}
	for (node = root->children; node; node = node->older)
		left++;
	cr_expect_eq(left, THREADS * ROUNDS);
	cr_expect_eq(vx_close(root), 0);
}
