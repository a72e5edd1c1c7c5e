/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which fields of struct vx_mr_init go together. */

#include <errno.h>

#include "error/fail.h"
#include "mr.h"
#include "reason/exclusion.h"

static const char call[] = "vx_mr_create";

/* The memory is somebody's already. */
static bool has_place(const struct vx_mr_init *init)
{
	return init->dm || init->buf || init->addr || vx_mr_is_dmabuf(init);
}

static int check_lacking(const struct vx_mr_init *init)
{
	if (!init->length && !init->buf && !(init->flags & (VX_MR_NULL | VX_MR_IMPLICIT)))
		return vx_fail(-EINVAL, call, NULL, "length is 0");
	if (init->offset && !has_place(init))
		return vx_fail(-EINVAL, call, NULL, "offset is given, but no fd, dm or buf to begin from");
	return 0;
}

int vx_mr_check(const struct vx_mr_init *init)
{
	const uint32_t known = VX_MR_NULL | VX_MR_IMPLICIT | VX_MR_HUGE | VX_MR_HUGE_IF_THERE | VX_MR_READ_ONLY | VX_MR_DMABUF;
	int rc;

	if (init->flags & ~known)
		return vx_fail(-EINVAL, call, NULL, "flags has 0x%x, which is none of enum vx_mr_flags; those of enum ibv_access_flags "
			       "go into access", init->flags & ~known);
	if ((uint32_t)init->access & known)
		return vx_fail(-EINVAL, call, NULL, "access has 0x%x of enum vx_mr_flags, which goes into flags",
			       (uint32_t)init->access & known);
	if (init->fd < 0)
		return vx_fail(-EINVAL, call, NULL, "fd = %d", init->fd);
	rc = vx_mr_init_exclusions(init, call);
	return rc < 0 ? rc : check_lacking(init);
}

bool vx_mr_wants_memory(const struct vx_mr_init *init)
{
	return !has_place(init) && !(init->flags & (VX_MR_NULL | VX_MR_IMPLICIT));
}
