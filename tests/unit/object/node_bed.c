/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "node_bed.h"

static struct ibv_device device = { .name = "toy" };
static struct ibv_context context = { .device = &device };

char order[64];
const char *stubborn = "", *waits_for = "";
struct vx_node *called;

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

int destroy(struct vx_node *node)
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

int destroy_silently(struct vx_node *node)
{
	(void)node;
	return 0;
}

struct vx_node *make_root(void)
{
	struct vx_node *root = vx_node_new(0, VX_OBJECT_CTX, destroy_root, NULL, 0, "make");

	vx_node_link(root, &context, &root);
	return root;
}

struct vx_node *make_of_kind(uint32_t kind, const char *name, void *const *uses, size_t count)
{
	struct vx_node *node = vx_node_new(0, kind, destroy, uses, count, "make");

	cr_assert_not_null(node, "%s", vx_error_text());
	vx_node_link(node, (void *)name, &node);
	return node;
}

struct vx_node *make_user(const char *name, void *const *uses, size_t count)
{
	return make_of_kind(VX_OBJECT_TD, name, uses, count);
}

struct vx_node *make(const char *name, struct vx_node *parent)
{
	void *uses[] = { parent };

	return make_user(name, uses, 1);
}

size_t count_users(const struct vx_node *node)
{
	const struct vx_edge *edge;
	size_t count = 0;

	for (edge = node->users; edge; edge = edge->older)
		count++;
	return count;
}

void lean(struct vx_node *node, struct vx_node *first, struct vx_node *second)
{
	void *uses[] = { first, second };

	cr_assert_eq(vx_node_make_room(node, 2, "lean"), 0);
	vx_node_depend(node, uses, 2);
}
