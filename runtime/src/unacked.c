/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Which events are still to be acknowledged. */

#include <errno.h>
#include <stdlib.h>

#include "fail.h"
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

void vx_unacked_settle(struct vx_node *node)
{
	struct vx_unacked **link = &vx_node_root(node)->unacked, *entry;

	while (*link) {
		entry = *link;
		if (!is_of(entry, node)) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		acknowledge(entry);
	}
}

void vx_unacked_settle_all(struct vx_root *root)
{
	struct vx_unacked *entry;

	while ((entry = root->unacked)) {
		root->unacked = entry->next;
		acknowledge(entry);
	}
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
