/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands before an object on the data path. */

#include <stdlib.h>

#include "object.h"

/* Whoever finds it there finds all that was written into it before. */
void vx_front_put(struct vx_node *node, void *front)
{
	struct vx_front *head = (struct vx_front *)front - 1;

	head->next = node->object.front;
	head->node = node;
	__atomic_store_n(&vx_graph.fronts_came, true, __ATOMIC_RELAXED);
	__atomic_store_n(&node->object.front, front, __ATOMIC_RELEASE);
}

void vx_fronts_free(void *front, const void *raw)
{
	struct vx_front *head;

	while (front != raw) {
		head = (struct vx_front *)front - 1;
		if (head->end)
			head->end(front);
		front = head->next;
		free(head);
	}
}

bool vx_fronts_ask(const struct vx_node *node, bool leave)
{
	const struct vx_front *head;
	void *front = vx_front_now(node);
	bool is = false;

	for (; front != node->object.raw; front = head->next) {
		head = (struct vx_front *)front - 1;
		is |= head->inside && head->inside(front, leave);
	}
	return is;
}
