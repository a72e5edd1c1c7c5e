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
