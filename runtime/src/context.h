/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_CONTEXT_H
#define VERBSX_SRC_CONTEXT_H

#include <verbsx/context.h>

#include "object.h"

/* A context is the root of the graph of what is made from it. */
struct vx_context {
	struct vx_root root;
};

#endif
