/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What mlx5 devices tell through mlx5dv. */

#include <infiniband/mlx5dv.h>

#include <verbsx/config.h>
#include <verbsx/enums.h>
#include <verbsx/structs.h>

#include "devinfo.h"

/* All that the headers at hand have room for: libmlx5 fills whatever is asked for. */
static uint64_t all_of_mlx5(void)
{
	struct vx_enumerator at;
	uint64_t mask = 0;
	size_t i;

	for (i = 0; vx_mlx5dv_context_comp_mask_at(i, &at); i++)
		if (at.since <= VX_RDMA_CORE && !(at.flags & VX_ENUMERATOR_SENTINEL))
			mask |= (uint64_t)at.value;
	return mask;
}

void put_vendor(struct report *r, const struct vx_ctx *ctx)
{
	struct mlx5dv_context attr = { .comp_mask = all_of_mlx5() };

	if (mlx5dv_is_supported(vx_ctx_raw(ctx)->device) &&
	    !mlx5dv_query_device(vx_ctx_raw(ctx), &attr))
		report_struct(r, "mlx5dv_context", VX_STRUCT(mlx5dv_context), &attr);
}
