/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Builds that check handles: those that were closed are kept, marked, and known again when somebody uses them. */

#include "closed.h"

#if VERBSX_CHECKS

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "make.h"

#define KEPT 4096

/* In the word for the kind of a handle: it is closed, and below, the kind of what was closed and took it along. */
#define CLOSED 0x80000000u
#define CLOSER_SHIFT 8
#define KIND_MASK 0xffu

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

static uint32_t closer_of(const struct vx_node *node)
{
	if (!closing)
		return CLOSED;
	if (closing == node)
		return CLOSED | node->kind << CLOSER_SHIFT;
	return CLOSED | closing->kind << CLOSER_SHIFT;
}

void vx_closed_free(struct vx_node *node)
{
	struct vx_node *oldest;

	node->kind |= closer_of(node);
	node->uses = closing == node;
	node->object.raw = NULL;
	pthread_mutex_lock(&kept.lock);
	oldest = kept.nodes[kept.next];
	kept.nodes[kept.next] = node;
	kept.next = (kept.next + 1) % KEPT;
	pthread_mutex_unlock(&kept.lock);
	free(oldest);
}

static _Noreturn void die(const char *function, const char *what)
{
	fprintf(stderr, "verbsx: %s: %s\n", function, what);
	abort();
}

static bool is_kind(uint32_t kind)
{
	return *vx_kind_name(kind) != '\0';
}

static void refuse_stranger(const struct vx_node *object, const char *function)
{
	if (!object)
		die(function, "NULL for a handle");
	if (!is_kind(object->kind & KIND_MASK) || (!(object->kind & CLOSED) && object->kind > KIND_MASK))
		die(function, "no handle");
}

static void refuse_closed(const struct vx_node *object, const char *function)
{
	const char *kind = vx_kind_name(object->kind & KIND_MASK);
	const char *closer = vx_kind_name(object->kind >> CLOSER_SHIFT & KIND_MASK);
	char text[96];

	if (!(object->kind & CLOSED))
		return;
	if (!*closer)
		snprintf(text, sizeof(text), "this %s was given back by vx_give_back()", kind);
	else if (object->uses)
		snprintf(text, sizeof(text), "this %s was closed by vx_close()", kind);
	else
		snprintf(text, sizeof(text), "this %s was closed by vx_close() of a %s that it depended on", kind, closer);
	die(function, text);
}

static void refuse_kind(const void *object, uint32_t kind, const char *function)
{
	uint32_t is = ((const struct vx_node *)object)->kind;
	char name[64], text[96];

	if (!kind || vx_kind_used_as(is) == kind)
		return;
	vx_object_name(name, sizeof(name), object);
	snprintf(text, sizeof(text), "%s is no %s", name, vx_kind_name(kind));
	die(function, text);
}

void vx_object_check(const void *object, uint32_t kind, const char *function)
{
	refuse_stranger(object, function);
	refuse_closed(object, function);
	refuse_kind(object, kind, function);
}

#endif
