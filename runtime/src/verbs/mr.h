/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MR_H
#define VERBSX_SRC_MR_H

/* What conditions of lore ask about a region that is to be made. */

#include <stdbool.h>

#include <verbsx/mr.h>

#define VX_MR_FLAGS (VX_MR_NULL | VX_MR_IMPLICIT | VX_MR_HUGE | VX_MR_HUGE_IF_THERE | VX_MR_READ_ONLY | VX_MR_DMABUF)

/* Whether fd counts. */
static inline bool vx_mr_is_dmabuf(const struct vx_mr_init *init)
{
	return init->fd || init->flags & VX_MR_DMABUF;
}

/* Whether the memory is somebody's already. */
static inline bool vx_mr_has_place(const struct vx_mr_init *init)
{
	return init->dm || init->buf || init->addr || vx_mr_is_dmabuf(init);
}

#endif
