/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Parts of memory regions, as requests name them. */

#include <errno.h>
#include <inttypes.h>

#include "error/fail.h"
#include "steps.h"

/* Null regions have no length, and take any address. */
static bool is_past(const struct ibv_mr *raw, uint64_t offset, uint32_t length)
{
	return raw->length && (offset > raw->length || length > raw->length - offset);
}

int vx_mr_sge(const struct vx_mr *mr, uint64_t offset, uint32_t length, struct ibv_sge *out)
{
	const struct vx_kept_mr *kept;
	const struct ibv_mr *raw;

	if (vx_wrong(mr, VX_OBJECT_MR, "vx_mr_sge", "mr"))
		return -EINVAL;
	if (!out)
		return vx_null_fail("vx_mr_sge", "out");
	kept = vx_node_extra((const struct vx_node *)mr);
	raw = vx_mr_raw(mr);
	if (is_past(raw, offset, length))
		return vx_fail(-EINVAL, "vx_mr_sge", VX_NAME(mr), "%" PRIu32 " bytes from byte %" PRIu64 " on, and it has %zu", length, offset, raw->length);
	*out = (struct ibv_sge){ (kept->known ? kept->start : (uintptr_t)raw->addr) + offset, length, raw->lkey };
	return 0;
}
