/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A device that was configured without what it has by default: emu.lacking runs these on one. */
#include "selftest.h"

TestSuite(lacking, .init = open_mlx5, .fini = close_bed);

Test(lacking, memory_on_demand)
{
	struct ibv_sge s = { address(0), 4096, bed.mr->lkey };
	struct ibv_device_attr_ex attr;

	CHECK(!ibv_query_device_ex(bed.ctx, NULL, &attr));
	if (attr.odp_caps.general_caps)
		skip("it has it");
	CHECK(!attr.odp_caps.per_transport_caps.rc_odp_caps);
	CHECK(!ibv_reg_mr(bed.pd, bed.buf, 4096, IBV_ACCESS_ON_DEMAND) && errno == EOPNOTSUPP);
	CHECK(ibv_advise_mr(bed.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &s, 1) == EOPNOTSUPP);
}

Test(lacking, signatures)
{
	struct mlx5dv_context c = { .comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD };
	struct mlx5dv_mkey_init_attr a = {
		.pd = bed.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
		.max_entries = 4,
	};

	CHECK(!mlx5dv_query_device(bed.ctx, &c));
	if (c.sig_caps.block_prot)
		skip("it has them");
	CHECK(!mlx5dv_create_mkey(&a) && errno == EOPNOTSUPP);
}
