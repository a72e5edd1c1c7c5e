/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_OBJECT_TOYS_H
#define VERBSX_TESTS_UNIT_OBJECT_TOYS_H

/* Nodes that stand for nothing, for tests of the graph alone. */

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/error.h>
#include <verbsx/objects.h>

#include "object/make.h"

static struct ibv_device device = { .name = "toy" };
static struct ibv_context context = { .device = &device };

static inline int destroy(struct vx_node *node)
{
	(void)node;
	return 0;
}

static inline struct vx_node *make_with(uint32_t kind, void *raw, void *const *uses, size_t count)
{
	struct vx_node *node = vx_node_new(64 /* for what it keeps */, kind, destroy, uses, count, "make");

	cr_assert_not_null(node, "%s", vx_error_text());
	vx_node_link(node, raw, &node);
	return node;
}

static inline struct vx_node *make_root(void)
{
	return make_with(VX_OBJECT_CTX, &context, NULL, 0);
}

static inline struct vx_node *make(struct vx_node *parent, void *raw)
{
	void *uses[] = { parent };

	return make_with(VX_OBJECT_TD, raw, uses, 1);
}

static inline struct vx_node *handle_of(const void *raw, uint32_t type)
{
	struct vx_node *node;

	vx_graph_lock();
	node = vx_node_of(raw, type);
	vx_graph_unlock();
	return node;
}

#endif
