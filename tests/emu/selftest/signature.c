/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Signature and crypto: what they need is made and laid out, and then refused. */
#include "selftest.h"

TestSuite(signature, .init = open_mlx5, .fini = close_bed);

#define BLOCK_AND_CRC 520

static struct mlx5dv_mkey *try_mkey(uint32_t flag)
{
	struct mlx5dv_mkey_init_attr a = {
		.pd = bed.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | flag,
		.max_entries = 4,
	};

	return mlx5dv_create_mkey(&a);
}

static struct mlx5dv_context caps(void)
{
	struct mlx5dv_context c = { .comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD |
						 MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD };

	CHECK(!mlx5dv_query_device(bed.ctx, &c));
	return c;
}

/* Each block of memory is followed by its CRC */
static void lay_out(struct ibv_qp *q, struct mlx5dv_mkey *mk)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q);
	struct mlx5dv_qp_ex *m = mlx5dv_qp_ex_from_ibv_qp_ex(x);
	struct ibv_sge sge = { address(8192), BLOCK_AND_CRC, bed.mr->lkey };
	struct mlx5dv_sig_crc crc = { .type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = 0xffffffff };
	struct mlx5dv_sig_block_domain memory = { .sig_type = MLX5DV_SIG_TYPE_CRC,
						  .sig.crc = &crc,
						  .block_size = MLX5DV_BLOCK_SIZE_512 };
	struct mlx5dv_sig_block_attr block = { .mem = &memory, .check_mask = MLX5DV_SIG_MASK_CRC32 };
	struct mlx5dv_mkey_conf_attr conf = { 0 };

	start(x, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	mlx5dv_wr_mkey_configure(m, mk, 3, &conf);
	mlx5dv_wr_set_mkey_access_flags(m, ACCESS_ALL);
	mlx5dv_wr_set_mkey_layout_list(m, 1, &sge);
	mlx5dv_wr_set_mkey_sig_block(m, &block);
	CHECK(!ibv_wr_complete(x));
	expect_wc(1, 0, MLX5DV_WC_UMR);
}

Test(signature, there_are_none_unless_configured)
{
	struct mlx5dv_context c = caps();

	if (c.sig_caps.block_prot)
		skip("it is configured");
	CHECK(!try_mkey(MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE) && errno == EOPNOTSUPP);
	CHECK(!try_mkey(MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO) && errno == EOPNOTSUPP);
}

Test(signature, a_layout_is_taken_and_its_data_are_refused)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
	};
	struct mlx5dv_mkey_err none;
	struct mlx5dv_mkey *mk;
	struct ibv_qp *q;

	if (!caps().sig_caps.block_prot)
		skip("a device without signatures");
	mk = try_mkey(MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);
	CHECK(mk && emu_live("psv") == 2);
	q = make_mlx5_qp(IBV_QPT_RC, OPS_RC, &dv);
	reconnect(q, bed.b, NO_RNR_LIMIT);
	lay_out(q, mk);
	CHECK(!mlx5dv_mkey_check(mk, &none) && none.err_type == MLX5DV_MKEY_NO_ERR);
	post_write(q, 2, mk->rkey, 0, "signed");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	CHECK(!ibv_destroy_qp(q) && !mlx5dv_destroy_mkey(mk) && !emu_live("psv"));
	wait_async(IBV_EVENT_QP_ACCESS_ERR);
}

Test(signature, a_key_to_encrypt_with_is_kept)
{
	struct mlx5dv_crypto_login_attr login = { .credential_id = 1 };
	struct mlx5dv_dek_init_attr init = { .key_size = MLX5DV_CRYPTO_KEY_SIZE_128, .pd = bed.pd };
	struct mlx5dv_dek_attr attr = { 0 };
	struct mlx5dv_mkey *mk;
	struct mlx5dv_dek *dek;

	if (!caps().crypto_caps.crypto_engines)
		skip("a device without encryption");
	CHECK(!mlx5dv_crypto_login(bed.ctx, &login));
	dek = mlx5dv_dek_create(bed.ctx, &init);
	mk = try_mkey(MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO);
	CHECK(dek && mk && !mlx5dv_dek_query(dek, &attr) && attr.state == MLX5DV_DEK_STATE_READY);
	CHECK(!mlx5dv_destroy_mkey(mk) && !mlx5dv_dek_destroy(dek) && !mlx5dv_crypto_logout(bed.ctx));
}
