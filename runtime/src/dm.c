/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include <errno.h>

#include <verbsx/dm.h>

#include "make.h"
#include "outcome.h"
#include "traced.h"

int vx_dm_memcpy_from(struct vx_dm *dm, void *host_addr, uint64_t dm_offset, size_t length)
{
	int rc;

	errno = 0;
	rc = ibv_memcpy_from_dm(host_addr, vx_dm_raw(dm), dm_offset, length);
	return rc ? vx_method_fail(vx_code_returned(rc), "ibv_memcpy_from_dm", dm) : 0;
}
