/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Reading device memory, and why it or writing it failed. */

#include <errno.h>

#include <verbsx/dm.h>

#include "error/fail.h"
#include "object/make.h"
#include "reason/reason_method.h"
#include "traced.h"

#define LONGEST_NAME 128
#define MLX5_UNIT 4 /* bytes, that its device memory is copied by */

/* How much memory there is, its object does not tell. */
static int fail(int code, const char *call, const struct vx_dm *dm, uint64_t dm_offset, size_t length)
{
	char name[LONGEST_NAME];
	const char *format = NULL;

	if (code == -EINVAL && (dm_offset % MLX5_UNIT || length % MLX5_UNIT))
		format = "dm_offset = %llu and length = %zu, but a device may copy only multiples of 4 bytes";
	else if (code == -EINVAL || code == -EFAULT)
		format = "dm_offset = %llu with length = %zu may be beyond the end of the device memory";
	vx_object_name(name, sizeof(name), dm);
	return vx_call_fail(code, call, name, format, (unsigned long long)dm_offset, length);
}

int vx_memcpy_to_dm_fail(int code, const struct vx_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length)
{
	(void)host_addr;
	return fail(code, "ibv_memcpy_to_dm", dm, dm_offset, length);
}

int vx_dm_memcpy_from(struct vx_dm *dm, void *host_addr, uint64_t dm_offset, size_t length)
{
	int rc;

	VX_CHECK(dm, VX_OBJECT_DM);
	if (!host_addr)
		return vx_null_fail("vx_dm_memcpy_from", "host_addr");
	errno = 0;
	rc = ibv_memcpy_from_dm(host_addr, vx_dm_raw(dm), dm_offset, length);
	return rc ? fail(vx_code_returned(rc), "ibv_memcpy_from_dm", dm, dm_offset, length) : 0;
}
