/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands before an object on the data path. */

#include <errno.h>
#include <stdlib.h>

#include "error/fail.h"
#include "front.h"

void *vx_front_new(size_t size, const char *call)
{
	struct vx_front *head = calloc(1, sizeof(*head) + size);

	if (head)
		return head + 1;
	vx_fail(-ENOMEM, call, NULL, NULL);
	return NULL;
}

/* Whoever finds it there finds all that was written into it before. */
void vx_front_put(struct vx_node *node, void *front)
{
	struct vx_front *head = vx_front_head(front);

	head->next = node->object.front;
	head->node = node;
	__atomic_store_n(&node->object.front, front, __ATOMIC_RELEASE);
}
