/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which events are still to be acknowledged. */

#include <errno.h>
#include <stdlib.h>

#include <verbsx/objects.h>

#include "error/fail.h"
#include "unacked.h"
#include "traced.h"

int vx_unacked_prepare(struct vx_root *root, const char *call)
{
	if (!root->spare)
		root->spare = calloc(1, sizeof(*root->spare));
	return root->spare ? 0 : vx_fail(-ENOMEM, call, NULL, NULL);
}

static struct vx_unacked *add(struct vx_root *root, struct vx_unacked with)
{
	struct vx_unacked *entry = root->spare;

	root->spare = NULL;
	*entry = with;
	entry->next = root->unacked;
	root->unacked = entry;
	return entry;
}

uint64_t vx_unacked_add(struct vx_root *root, struct vx_node *node, const struct ibv_async_event *event)
{
	return add(root, (struct vx_unacked){ .node = node, .number = ++root->events, .event = *event })->number;
}

void vx_unacked_add_completion(struct vx_root *root, struct vx_node *cq)
{
	struct vx_unacked *entry;

	for (entry = root->unacked; entry; entry = entry->next)
		if (entry->node == cq && !entry->number)
			break;
	if (!entry)
		entry = add(root, (struct vx_unacked){ .node = cq });
	entry->completions++;
}

static void acknowledge(struct vx_unacked *entry)
{
	if (entry->number)
		ibv_ack_async_event(&entry->event);
	else
		ibv_ack_cq_events(entry->node->object.raw, entry->completions);
	free(entry);
}

void vx_unacked_ack(struct vx_root *root, uint64_t number)
{
	struct vx_unacked **link, *entry;

	for (link = &root->unacked; *link; link = &(*link)->next) {
		entry = *link;
		if (entry->number != number)
			continue;
		*link = entry->next;
		acknowledge(entry);
		return;
	}
}

/* The object of an event may have become known since. */
static bool is_of(const struct vx_unacked *entry, const struct vx_node *node)
{
	return entry->node ? entry->node == node : entry->event.element.qp == node->object.raw;
}

/* Of many objects only few kinds have events. */
static bool has_events(const struct vx_node *node)
{
	switch (node->kind) {
	case VX_OBJECT_CQ:
	case VX_OBJECT_QP:
	case VX_OBJECT_OPENED_QP:
	case VX_OBJECT_SRQ:
	case VX_OBJECT_WQ:
		return true;
	default:
		return false;
	}
}

/* Take the entries of a node out of the list; NULL: all. */
static struct vx_unacked *take(struct vx_root *root, const struct vx_node *node)
{
	struct vx_unacked **link = &root->unacked, *entry, *taken = NULL;

	while ((entry = *link)) {
		if (node && !is_of(entry, node)) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		entry->next = taken;
		taken = entry;
	}
	return taken;
}

/* Whoever is told of these calls may close other objects: by then, the list is in order. */
static void acknowledge_all(struct vx_unacked *entry)
{
	while (entry) {
		struct vx_unacked *next = entry->next;

		acknowledge(entry);
		entry = next;
	}
}

void vx_unacked_settle(struct vx_node *node)
{
	if (has_events(node))
		acknowledge_all(take(vx_node_root(node), node));
}

void vx_unacked_settle_all(struct vx_root *root)
{
	acknowledge_all(take(root, NULL));
}

void vx_unacked_forget(struct vx_root *root)
{
	struct vx_unacked *entry;

	while ((entry = root->unacked)) {
		root->unacked = entry->next;
		free(entry);
	}
	free(root->spare);
}
