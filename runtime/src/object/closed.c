/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handles that were closed or are of another kind; builds that check handles keep those that were closed for a while. */

#include "closed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/config.h>

#include "error/fail.h"
#include "make.h"

#define LONGEST_NAME 128
#define VX_NODE_CLOSED 0x636c7364u /* the magic of those that are kept; type is the kind of what took it along */

static _Noreturn void die(const char *function, const char *what)
{
	fprintf(stderr, "verbsx: %s: %s\n", function, what);
	abort();
}

#if VERBSX_CHECKS

#define KEPT 4096

static struct {
	pthread_mutex_t lock;
	struct vx_node *nodes[KEPT];
	size_t next;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local const struct vx_node *closing;

const struct vx_node *vx_closed_begin(const struct vx_node *top)
{
	const struct vx_node *before = closing;

	closing = top;
	return before;
}

void vx_closed_free(struct vx_node *node)
{
	struct vx_node *oldest;

	node->magic = VX_NODE_CLOSED;
	node->type = closing ? closing->kind : 0;
	node->uses = closing == node;
	node->object = (struct vx_object){ 0 };
	pthread_mutex_lock(&kept.lock);
	oldest = kept.nodes[kept.next];
	kept.nodes[kept.next] = node;
	kept.next = (kept.next + 1) % KEPT;
	pthread_mutex_unlock(&kept.lock);
	free(oldest);
}

static void refuse_closed(const struct vx_node *node, const char *function)
{
	const char *kind = vx_kind_name(node->kind), *closer = vx_kind_name(node->type);
	char text[LONGEST_NAME];

	if (node->magic != VX_NODE_CLOSED)
		return;
	if (!*closer)
		snprintf(text, sizeof(text), "this %s was given back by vx_give_back()", kind);
	else if (node->uses)
		snprintf(text, sizeof(text), "this %s was closed by vx_close()", kind);
	else
		snprintf(text, sizeof(text), "this %s was closed by vx_close() of a %s that it depended on", kind, closer);
	die(function, text);
}

#else

const struct vx_node *vx_closed_begin(const struct vx_node *top)
{
	return top;
}

/* Compilers leave out what is written before free(3), but for what is volatile. */
void vx_closed_free(struct vx_node *node)
{
	*(volatile uint32_t *)&node->magic = 0;
	free(node);
}

static void refuse_closed(const struct vx_node *node, const char *function)
{
	(void)node, (void)function;
}

#endif

/* In every build, as a program may define VERBSX_CHECKS for itself. */
void vx_object_check(const void *object, uint32_t kind, const char *function)
{
	const struct vx_node *node = object;
	char name[LONGEST_NAME], text[LONGEST_NAME + 32];

	if (!node)
		die(function, "NULL for a handle");
	refuse_closed(node, function);
	if (node->magic != VX_NODE_MAGIC)
		die(function, "no handle");
	if (!kind || node->type == kind)
		return;
	vx_object_name(name, sizeof(name), node);
	snprintf(text, sizeof(text), "%s is no %s", name, vx_kind_name(kind));
	die(function, text);
}

bool vx_handle_fail(const void *object, uint32_t kind, const char *function, const char *what)
{
	const struct vx_node *node = object;
	char name[LONGEST_NAME];

	if (!node) {
		vx_null_fail(function, what);
		return true;
	}
	if (VERBSX_CHECKS)
		vx_object_check(object, kind, function);
	if (node->magic != VX_NODE_MAGIC) {
		vx_fail(-EINVAL, function, NULL, "%s was closed, or is no handle", what);
		return true;
	}
	vx_object_name(name, sizeof(name), node);
	vx_fail(-EINVAL, function, NULL, "%s is no %s", name, vx_kind_name(kind));
	return true;
}
