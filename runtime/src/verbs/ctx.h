/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_CONTEXT_H
#define VERBSX_SRC_CONTEXT_H

#include <verbsx/ctx.h>

#include "object/object.h"

/* A context is the root of the graph of what is made from it. */
struct vx_ctx {
	struct vx_root root;
};

#endif
