/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Reading device memory. */

#include <errno.h>

#include <verbsx/dm.h>

#include "error/fail.h"
#include "object/make.h"
#include "reason/reason.h"
#include "traced.h"

int vx_dm_memcpy_from(struct vx_dm *dm, void *host_addr, uint64_t dm_offset, size_t length)
{
	int rc;

	if (vx_wrong(dm, VX_OBJECT_DM, "vx_dm_memcpy_from", "dm"))
		return -EINVAL;
	if (!host_addr)
		return vx_null_fail("vx_dm_memcpy_from", "host_addr");
	errno = 0;
	rc = ibv_memcpy_from_dm(host_addr, vx_dm_raw(dm), dm_offset, length);
	return rc ? vx_call_refused(vx_code_returned(rc), SIGNATURE_ibv_memcpy_from_dm, dm,
				    VX_ARGS(VX_ARG(host_addr), VX_ARG(vx_dm_raw(dm)), dm_offset, length)) : 0;
}
