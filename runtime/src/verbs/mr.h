/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MR_H
#define VERBSX_SRC_MR_H

#include <stdbool.h>

#include <verbsx/mr.h>

/* Returns -EINVAL, recorded, for fields that exclude each other or lack another one. */
int vx_mr_check(const struct vx_mr_init *init);

/* Whether fd counts. */
static inline bool vx_mr_is_dmabuf(const struct vx_mr_init *init)
{
	return init->fd || init->flags & VX_MR_DMABUF;
}

/* Whether the memory is to be the library's own. */
bool vx_mr_wants_memory(const struct vx_mr_init *init);

#endif
