/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Data that the device signs, and encrypts, on the way through a key: in memory they lie as they should, and come out as they were. */

#include "emu/credential.h"
#include "keys.h"

enum { BLOCK = 512, BLOCKS = 2, DIF = 8, CRC = 4, PLAIN = 0, BELOW = 4096, OUT = 8192, KEY = 32, ROUNDS = 3 };

#define Mkey(name) Twin(test_mlx5_mkey, Mlx5MkeyTest, name)

static void fill_plain(struct keys *k)
{
	int i;

	for (i = 0; i < BLOCKS * BLOCK; i++)
		k->memory[PLAIN + i] = (char)(i ^ i >> 8);
	memset(k->memory + OUT, 0, BLOCKS * (BLOCK + DIF));
}

static bool came_out(const struct keys *k, uint32_t length)
{
	return !memcmp(k->memory + OUT, k->memory + PLAIN, length);
}

static struct mlx5dv_mkey_err error_of(const struct keys *k)
{
	struct mlx5dv_mkey_err error;

	made(vx_mlx5_mkey_check(k->mkey, &error));
	return error;
}

/* ---- signatures ---- */

static const struct mlx5dv_sig_crc crc32 = { .type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = UINT32_MAX };
static const struct mlx5dv_sig_t10dif t10dif = { .bg_type = MLX5DV_SIG_T10DIF_CRC, .bg = UINT16_MAX, .app_tag = 0xabcd, .ref_tag = 100,
						 .flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP };
static const struct mlx5dv_sig_block_domain by_crc = { .sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc32, .block_size = MLX5DV_BLOCK_SIZE_512 };
static const struct mlx5dv_sig_block_domain by_dif = { .sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = &t10dif, .block_size = MLX5DV_BLOCK_SIZE_512 };

static struct keys open_signing(uint32_t qp_flags)
{
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, qp_flags, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);

	fill_plain(&k);
	return k;
}

/* From now on a signature lies behind each block in memory. */
static void sign(struct keys *k, const struct mlx5dv_sig_block_domain *memory, uint32_t size)
{
	const struct mlx5dv_sig_block_attr block = { .mem = memory, .check_mask = UINT8_MAX };

	configure_key(k, BELOW, BLOCKS * (BLOCK + size), &block, NULL);
	cr_assert_eq(write_in(k, PLAIN, BLOCKS * BLOCK), IBV_WC_SUCCESS);
}

static void expect_signed(const struct mlx5dv_sig_block_domain *memory, uint32_t size)
{
	static const char none[DIF];
	struct keys k = open_signing(0);
	int i;

	memset(k.memory + BELOW, 0, BLOCKS * (BLOCK + DIF));
	sign(&k, memory, size);
	for (i = 0; i < BLOCKS; i++) {
		cr_expect_eq(memcmp(k.memory + BELOW + i * (BLOCK + size), k.memory + PLAIN + i * BLOCK, BLOCK), 0);
		cr_expect(memcmp(k.memory + BELOW + i * (BLOCK + size) + BLOCK, none, size), "block %d has no signature", i);
	}
	cr_assert_eq(write_out(&k, OUT, BLOCKS * BLOCK), IBV_WC_SUCCESS);
	cr_expect(came_out(&k, BLOCKS * BLOCK));
	cr_expect_eq(error_of(&k).err_type, MLX5DV_MKEY_NO_ERR);
}

Mkey(test_mkey_sig_crc)
{
	expect_signed(&by_crc, CRC);
}

Mkey(test_mkey_sig_t10dif)
{
	expect_signed(&by_dif, DIF);
}

/* A completion tells nothing of it: the key is asked. */
Mkey(test_mkey_sig_err)
{
	struct keys k = open_signing(0);
	struct mlx5dv_mkey_err error;

	sign(&k, &by_dif, DIF);
	k.memory[BELOW + BLOCK + DIF] ^= 1; /* in the second block */
	cr_assert_eq(write_out(&k, OUT, BLOCKS * BLOCK), IBV_WC_SUCCESS);
	error = error_of(&k);
	cr_expect_eq(error.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	cr_expect_neq(error.err.sig.actual_value, error.err.sig.expected_value);
	cr_expect_eq(error_of(&k).err_type, MLX5DV_MKEY_NO_ERR, "it is told once");
}

/* ---- a queue that waits until a signature is known to be right ---- */

enum { WRITE = 1, TELL = 2 };

static enum ibv_qp_state state_of(struct vx_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

/* Signed data, and behind them a message that they are there: that waits for the signature to be found right. */
static void write_and_tell(struct keys *k)
{
	struct vx_wr *wr;

	made(vx_qp_post_recv(k->p.server, &(struct ibv_recv_wr){ 0 }, NULL));
	wr = vx_wr_start(k->p.client);
	vx_wr_rdma_write(wr, WRITE, IBV_SEND_SIGNALED, vx_mr_rkey(k->p.mr), (uintptr_t)k->memory + OUT);
	vx_wr_set_sge(wr, vx_mlx5_mkey_raw(k->mkey)->lkey, 0, BLOCKS * BLOCK);
	vx_wr_send(wr, TELL, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
	vx_wr_set_sge_list(wr, 0, NULL);
	made(vx_wr_complete(wr));
	cr_assert_eq(next(&k->p), IBV_WC_SUCCESS);
}

Mkey(test_mkey_sig_pipelining_good)
{
	struct keys k = open_signing(MLX5DV_QP_CREATE_SIG_PIPELINING);

	sign(&k, &by_crc, CRC);
	write_and_tell(&k);
	cr_expect_eq(next(&k.p), IBV_WC_SUCCESS);
	cr_expect_eq(next(&k.p), IBV_WC_SUCCESS, "the message arrived");
	cr_expect_eq(error_of(&k).err_type, MLX5DV_MKEY_NO_ERR);
	cr_expect_eq(state_of(k.p.client), IBV_QPS_RTS);
}

/* The queue drains instead: what waits is taken back by its number, and then it goes on. */
Mkey(test_mkey_sig_pipelining_bad)
{
	struct keys k = open_signing(MLX5DV_QP_CREATE_SIG_PIPELINING);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	struct vx_async_event event;
	size_t taken = 0;

	sign(&k, &by_crc, CRC);
	k.memory[BELOW] ^= 1;
	write_and_tell(&k);
	made(vx_ctx_get_async_event(ctx, 20000, &event));
	cr_expect_eq(event.type, IBV_EVENT_SQ_DRAINED);
	vx_async_event_ack(&event);
	cr_expect_eq(state_of(k.p.client), IBV_QPS_SQD);
	cr_expect_eq(error_of(&k).err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	made(vx_mlx5_qp_cancel_posted_send_wrs(k.p.client, TELL, &taken));
	cr_expect_eq(taken, 1);
	made(vx_qp_modify(k.p.client, &attr, IBV_QP_STATE));
	cr_expect_eq(next(&k.p), IBV_WC_SUCCESS, "it did nothing");
	cr_expect_eq(write_out(&k, OUT, BLOCK), IBV_WC_SUCCESS);
}

/* ---- encryption ---- */

#define Crypto(name) Twin(test_mlx5_crypto, Mlx5CryptoTrafficTest, name)

/* Both keys of a vector of IEEE 1619; the same as wrapped by the import KEK of the emulated device, and what they make of a block of zeros is not looked at. */
static const char plain_key[KEY + 1] = "\x27\x18\x28\x18\x28\x45\x90\x45\x23\x53\x60\x28\x74\x71\x35\x26"
				       "\x31\x41\x59\x26\x53\x58\x97\x93\x23\x84\x62\x64\x33\x83\x27\x95";
static const uint8_t wrapped_key[] = { 0x64, 0x0e, 0x94, 0xf5, 0x31, 0x4c, 0xe3, 0xe7, 0xc1, 0xe7, 0x69, 0x0b, 0x6f, 0x0a,
				       0x04, 0xc5, 0x65, 0xc0, 0x22, 0x3a, 0x32, 0xf4, 0x51, 0x8c, 0xc7, 0x03, 0x8e, 0xe3,
				       0xf9, 0xa1, 0xeb, 0x8b, 0x6c, 0x44, 0x8b, 0x1e, 0x97, 0x2c, 0x2d, 0x45 };

static void need_keys(bool wrapped)
{
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD };
	bool takes_wrapped;

	made(vx_mlx5_ctx_query_device(ctx, &caps));
	if (!caps.crypto_caps.crypto_engines)
		cr_skip_test("the device does not encrypt");
	takes_wrapped = caps.crypto_caps.wrapped_import_method & MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
	if (takes_wrapped != wrapped)
		cr_skip_test("the device takes keys %s", takes_wrapped ? "wrapped" : "plain");
}

static struct vx_mlx5_dek *new_plain_dek(void)
{
	struct vx_mlx5_dek_init init = { .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, .pd = pd };
	struct vx_mlx5_dek *dek;

	memcpy(init.key, plain_key, KEY);
	made(vx_mlx5_dek_create(ctx, &init, &dek));
	return dek;
}

/* Of a login, or of that of the context. */
static struct vx_mlx5_dek *new_wrapped_dek(struct vx_mlx5_crypto_login *login)
{
	struct vx_mlx5_dek_init init = { .pd = pd, .crypto_login = login };
	struct vx_mlx5_dek *dek;

	memcpy(init.key, wrapped_key, sizeof(wrapped_key));
	made(vx_mlx5_dek_create(ctx, &init, &dek));
	return dek;
}

static struct vx_mlx5_crypto_login *log_in(void)
{
	struct vx_mlx5_crypto_login_init init = { .credential_len = sizeof(credential), .credential = credential };
	struct vx_mlx5_crypto_login *login;

	made(vx_mlx5_crypto_login_create(ctx, &init, &login));
	return login;
}

/* Data go in and lie encrypted, of blocks each with a number of its own, and come out as they were. */
static void through(struct vx_mlx5_dek *dek, uint32_t blocks, const struct mlx5dv_sig_block_attr *block)
{
	const uint32_t flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO | (block ? MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE : 0);
	const struct mlx5dv_crypto_attr crypto = { .crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS, .data_unit_size = MLX5DV_BLOCK_SIZE_512,
						   .dek = vx_mlx5_dek_raw(dek),
						   .signature_crypto_order = block ? MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX : 0 };
	struct keys k = open_keys(MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, 0, flags);
	int i;

	for (i = 0; i < ROUNDS; i++) {
		fill_plain(&k);
		memcpy(k.memory + PLAIN + BLOCK, k.memory + PLAIN, BLOCK);
		configure_key(&k, BELOW, blocks * (BLOCK + (block ? DIF : 0)), block, &crypto);
		cr_assert_eq(write_in(&k, PLAIN, blocks * BLOCK), IBV_WC_SUCCESS);
		cr_expect(memcmp(k.memory + BELOW, k.memory + PLAIN, BLOCK), "it lies there as it was");
		cr_expect(blocks == 1 || block || memcmp(k.memory + BELOW, k.memory + BELOW + BLOCK, BLOCK), "two blocks are encrypted alike");
		cr_assert_eq(write_out(&k, OUT, blocks * BLOCK), IBV_WC_SUCCESS);
		cr_expect(came_out(&k, blocks * BLOCK));
		cr_expect(!block || error_of(&k).err_type == MLX5DV_MKEY_NO_ERR);
	}
}

Crypto(test_mlx5_crypto_plaintext_dek)
{
	need_keys(false);
	through(new_plain_dek(), 1, NULL);
}

Crypto(test_mlx5_plaintext_dek_multi_block)
{
	need_keys(false);
	through(new_plain_dek(), BLOCKS, NULL);
}

Crypto(test_mlx5_crypto_wrapped_dek)
{
	need_keys(true);
	through(new_wrapped_dek(log_in()), 1, NULL);
}

Crypto(test_mlx5_wrapped_dek_multi_block)
{
	need_keys(true);
	through(new_wrapped_dek(log_in()), BLOCKS, NULL);
}

/* The login is the context's. */
Crypto(test_mlx5_crypto_mkey_old_api)
{
	struct mlx5dv_crypto_login_attr attr = { 0 };

	need_keys(true);
	memcpy(attr.credential, credential, sizeof(credential));
	made(vx_mlx5_ctx_crypto_login(ctx, &attr));
	through(new_wrapped_dek(NULL), 1, NULL);
	made(vx_mlx5_ctx_crypto_logout(ctx));
}

Crypto(test_mlx5_crypto_signature_mkey)
{
	const struct mlx5dv_sig_block_attr block = { .mem = &by_dif, .check_mask = UINT8_MAX };

	need_keys(true);
	through(new_wrapped_dek(log_in()), 1, &block);
}
