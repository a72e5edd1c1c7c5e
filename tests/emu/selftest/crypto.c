/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Encryption: keys are made and kept; data are refused. */
#include "selftest.h"

TestSuite(crypto, .init = open_mlx5, .fini = close_bed);

static struct mlx5dv_mkey *try_mkey(void)
{
	struct mlx5dv_mkey_init_attr a = {
		.pd = bed.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
		.max_entries = 4,
	};

	return mlx5dv_create_mkey(&a);
}

static bool is_configured(void)
{
	struct mlx5dv_context c = { .comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD };

	CHECK(!mlx5dv_query_device(bed.ctx, &c));
	return c.crypto_caps.crypto_engines;
}

Test(crypto, there_is_none_unless_configured)
{
	if (is_configured())
		skip("it is configured");
	CHECK(!try_mkey() && errno == EOPNOTSUPP);
}

Test(crypto, a_key_to_encrypt_with_is_kept)
{
	struct mlx5dv_crypto_login_attr login = { .credential_id = 1 };
	struct mlx5dv_dek_init_attr init = { .key_size = MLX5DV_CRYPTO_KEY_SIZE_128, .pd = bed.pd };
	struct mlx5dv_dek_attr attr = { 0 };
	struct mlx5dv_mkey *mk;
	struct mlx5dv_dek *dek;

	if (!is_configured())
		skip("a device without encryption");
	CHECK(!mlx5dv_crypto_login(bed.ctx, &login));
	dek = mlx5dv_dek_create(bed.ctx, &init);
	mk = try_mkey();
	CHECK(dek && mk && !mlx5dv_dek_query(dek, &attr) && attr.state == MLX5DV_DEK_STATE_READY);
	CHECK(!mlx5dv_destroy_mkey(mk) && !mlx5dv_dek_destroy(dek) && !mlx5dv_crypto_logout(bed.ctx));
}
