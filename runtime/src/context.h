/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERBSX_SRC_CONTEXT_H
#define VERBSX_SRC_CONTEXT_H

#include <pthread.h>

#include <verbsx/context.h>

#include "object.h"

struct vx_context {
	struct vx_node node;
	pthread_mutex_t lock;		/* of the whole tree; see struct vx_node */
};

#endif
