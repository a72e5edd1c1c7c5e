/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handles that were closed or are of another kind; builds that check handles keep those that were closed for a while. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/config.h>

#include "error/fail.h"
#include "make.h"

#define VX_NODE_CLOSED 0x636c7364u /* the magic of those that are kept; type is the kind of what took it along */

/* The last that were closed, where handles are checked. */
static struct vx_node *kept[VERBSX_CHECKS ? 4096 : 1];
static size_t oldest;

static void keep_closed(struct vx_node *node, const struct vx_node *top)
{
	node->magic = VX_NODE_CLOSED;
	node->type = top ? top->kind : 0;
	node->uses = top == node;
	node->object = (struct vx_object){ 0 };
	free(kept[oldest]);
	kept[oldest] = node;
	oldest = (oldest + 1) % (sizeof(kept) / sizeof(kept[0]));
}

/* Compilers leave out what is written before free(3), but for what is volatile. */
void vx_closed_free(struct vx_node *node, const struct vx_node *top)
{
	if (VERBSX_CHECKS) {
		keep_closed(node, top);
		return;
	}
	*(volatile uint32_t *)&node->magic = 0;
	free(node);
}

static const char *put_closed(char *text, size_t len, const struct vx_node *node)
{
	const char *kind = vx_kind_name(node->kind), *closer = vx_kind_name(node->type);

	if (!*closer)
		snprintf(text, len, "this %s was given back by vx_give_back()", kind);
	else if (node->uses)
		snprintf(text, len, "this %s was closed by vx_close()", kind);
	else
		snprintf(text, len, "this %s was closed by vx_close() of a %s that it depended on", kind, closer);
	return text;
}

static const char *put_other(char *text, size_t len, const struct vx_node *node, uint32_t kind)
{
	snprintf(text, len, "%s is no %s", VX_NAME(node), vx_kind_name(kind));
	return text;
}

/* What is wrong with a handle; NULL: nothing. */
static const char *put_wrong(char *text, size_t len, const struct vx_node *node, uint32_t kind)
{
	if (!node)
		return "NULL for a handle";
	if (node->magic == VX_NODE_CLOSED)
		return put_closed(text, len, node);
	if (node->magic != VX_NODE_MAGIC)
		return "no handle";
	return kind && node->type != kind ? put_other(text, len, node, kind) : NULL;
}

/* In every build, as a program may define VERBSX_CHECKS for itself. */
void vx_object_check(const void *object, uint32_t kind, const char *function)
{
	char text[VX_LONGEST_NAME + 32];
	const char *wrong = put_wrong(text, sizeof(text), object, kind);

	if (!wrong)
		return;
	fprintf(stderr, "verbsx: %s: %s\n", function, wrong);
	abort();
}

bool vx_handle_fail(const void *object, uint32_t kind, const char *function, const char *what)
{
	const struct vx_node *node = object;
	char text[VX_LONGEST_NAME + 32];

	if (VERBSX_CHECKS && node)
		vx_object_check(object, kind, function);
	if (!node)
		vx_null_fail(function, what);
	else if (node->magic != VX_NODE_MAGIC)
		vx_fail(-EINVAL, function, NULL, "%s was closed, or is no handle", what);
	else
		vx_fail(-EINVAL, function, NULL, "%s", put_other(text, sizeof(text), node, kind));
	return true;
}
