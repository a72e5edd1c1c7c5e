/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What handles are that were closed, or are of another kind. Builds that check handles keep those that were closed for a while. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "make.h"

#define VX_NODE_CLOSED 0x636c7364u /* the magic of those that are kept; type is the kind of what took it along */

/* The last that were closed, where handles are checked. */
static struct vx_node *kept[VERBSX_CHECKS ? 4096 : 1];
static size_t oldest;

VX_SELDOM_CALLED void vx_closed_keep(struct vx_node *node, const struct vx_node *top)
{
	node->magic = VX_NODE_CLOSED;
	node->type = top ? top->kind : 0;
	node->uses = top == node;
	node->object = (struct vx_object){ .raw = VX_RAW_GONE };
	free(kept[oldest]);
	kept[oldest] = node;
	oldest = (oldest + 1) % (sizeof(kept) / sizeof(kept[0]));
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

/* What is no handle may be an object of rdma-core, with a handle or not: those begin with their context. */
static const char *put_stranger(char *text, size_t len, const void *raw, uint32_t kind, const char *what)
{
	const char *word = kind && kind != VX_OBJECT_CTX ? vx_kind_name(kind) : "KIND";
	const struct vx_node *node;

	vx_graph_lock();
	node = vx_node_of(raw, 0);
	if (node)
		snprintf(text, len, "%s is the raw object of %s: give that handle", what, VX_NAME(node));
	else if (vx_node_of(*(void *const *)raw, VX_OBJECT_CTX))
		snprintf(text, len, "%s is a raw object, no handle: vx_%s_adopt() or vx_%s_borrow() gives one", what, word, word);
	else
		snprintf(text, len, "%s was closed, or is no handle", what);
	vx_graph_unlock();
	return text;
}

const char *vx_put_wrong(char *text, size_t len, const struct vx_node *node, uint32_t kind, const char *what)
{
	if (!node)
		return "NULL for a handle";
	if (node->magic == VX_NODE_CLOSED)
		return put_closed(text, len, node);
	if (node->magic != VX_NODE_MAGIC)
		return put_stranger(text, len, node, kind, what);
	if (!kind || node->type == kind)
		return NULL;
	snprintf(text, len, "%s is no %s", VX_NAME(node), vx_kind_name(kind));
	return text;
}

/* In every build, as a program may define VERBSX_CHECKS for itself. */
void vx_object_check(const void *object, uint32_t kind, const char *function)
{
	char text[VX_LONGEST_NAME + 128];
	const char *wrong = vx_put_wrong(text, sizeof(text), object, kind, "it");

	if (!wrong)
		return;
	fprintf(stderr, "verbsx: %s: %s\n", function, wrong);
	abort();
}

extern inline bool vx_is_handle(const void *object, uint32_t kind);
extern inline bool vx_wrong(const void *object, uint32_t kind, const char *function, const char *what);

void vx_handle_fail(const void *object, uint32_t kind, const char *function, const char *what)
{
	const char *field = strchr(function, ','); /* of a structure: "vx_qp_create, send_cq" */
	char text[VX_LONGEST_NAME + 128], call[64];

	if (VERBSX_CHECKS && object)
		vx_object_check(object, kind, function);
	snprintf(call, sizeof(call), "%.*s", (int)strcspn(function, ","), function);
	if (object && what)
		vx_fail(-EINVAL, call, NULL, "%s%s%s", field ? field + 2 : "", field ? ": " : "",
			vx_put_wrong(text, sizeof(text), object, kind, what));
	else if (what)
		vx_null_fail(call, what);
}
