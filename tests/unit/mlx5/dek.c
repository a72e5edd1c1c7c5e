/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Data encryption keys: plain, wrapped for the login of a context, and wrapped for one of their own, on a device that takes one or the other. */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <verbsx/mlx5.h>

#include "emu/credential.h"
#include "unit/device.h"

TestSuite(dek, .init = open_device, .fini = close_device);

/* As tests/emu/selftest/crypto.c has it. */
static const uint8_t wrapped[] = {
	0x64, 0x0e, 0x94, 0xf5, 0x31, 0x4c, 0xe3, 0xe7, 0xc1, 0xe7, 0x69, 0x0b, 0x6f, 0x0a, 0x04, 0xc5, 0x65, 0xc0, 0x22, 0x3a,
	0x32, 0xf4, 0x51, 0x8c, 0xc7, 0x03, 0x8e, 0xe3, 0xf9, 0xa1, 0xeb, 0x8b, 0x6c, 0x44, 0x8b, 0x1e, 0x97, 0x2c, 0x2d, 0x45
};

static bool takes_wrapped_keys(void)
{
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD };

	cr_assert_eq(mlx5dv_query_device(vx_ctx_raw(ctx), &caps), 0);
	cr_assert(caps.crypto_caps.crypto_engines, "there is encryption");
	return caps.crypto_caps.wrapped_import_method & MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
}

static int try(uint64_t comp_mask, struct vx_mlx5_crypto_login *login)
{
	struct vx_mlx5_dek_init init = { .comp_mask = comp_mask, .crypto_login = login, .pd = pd };
	struct vx_mlx5_dek *dek;
	int rc;

	memcpy(init.key, wrapped, sizeof(wrapped));
	rc = vx_mlx5_dek_create(ctx, &init, &dek);
	return rc ? rc : vx_close(dek);
}

static void log_in(void)
{
	struct mlx5dv_crypto_login_attr attr = { 0 };

	memcpy(attr.credential, credential, sizeof(credential));
	made(vx_mlx5_ctx_crypto_login(ctx, &attr));
}

static struct vx_mlx5_crypto_login *new_login(void)
{
	struct vx_mlx5_crypto_login_init init = { .credential_len = sizeof(credential), .credential = (void *)credential };
	struct vx_mlx5_crypto_login *login;

	made(vx_mlx5_crypto_login_create(ctx, &init, &login));
	return login;
}

/* The bit with NULL is one in plaintext; without it, it is the context that is to be logged in. */
Test(dek, a_plain_one_is_a_bit_without_a_login)
{
	const int rc = try(MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, NULL);

	if (!takes_wrapped_keys()) {
		made(rc);
		cr_expect_eq(try(0, NULL), -EINVAL);
		expect_reason("the device takes plain keys only: comp_mask must have MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN");
		return;
	}
	cr_expect_eq(rc, -EINVAL);
	expect_reason("the device takes wrapped keys only");
}

Test(dek, a_wrapped_one_is_of_the_login_of_the_context)
{
	if (!takes_wrapped_keys())
		cr_skip("wrapped keys are refused by it");
	cr_expect_eq(try(0, NULL), -EINVAL);
	expect_reason("the context is not logged in: vx_mlx5_ctx_crypto_login() comes first");
	log_in();
	made(try(0, NULL));
	made(vx_mlx5_ctx_crypto_logout(ctx));
	cr_expect_eq(try(0, NULL), -EINVAL);
}

Test(dek, a_wrapped_one_is_of_a_login_of_its_own)
{
	struct vx_mlx5_crypto_login *login;

	if (!takes_wrapped_keys())
		cr_skip("wrapped keys are refused by it");
	login = new_login();
	made(try(0, login));
	made(vx_close(login));
}

/* Whether the bit says that it counts or not: a handle of something else is a mistake. */
Test(dek, a_login_that_is_something_else_is_refused, .signal = VERBSX_CHECKS ? SIGABRT : 0)
{
	cr_expect_eq(try(MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, (void *)pd), -EINVAL);
	expect_reason("crypto_login: mlx5_0 pd");
	cr_expect_eq(try(0, (void *)ctx), -EINVAL);
	expect_reason("crypto_login: mlx5_0 is no mlx5_crypto_login");
}

/* libmlx5 holds no reference on it. */
Test(dek, a_login_goes_after_the_keys_of_it)
{
	struct vx_mlx5_dek_init init = { .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, .pd = pd };
	struct vx_mlx5_dek *dek;

	if (!takes_wrapped_keys())
		cr_skip("wrapped keys are refused by it");
	init.crypto_login = new_login();
	memcpy(init.key, wrapped, sizeof(wrapped));
	made(vx_mlx5_dek_create(ctx, &init, &dek));
	cr_expect_null(vx_give_back(init.crypto_login));
	cr_expect_eq(vx_error()->code, -EBUSY);
	expect_reason("mlx5_dek");
	made(vx_close(init.crypto_login)); /* and the key before it */
}

/* ---- logins ---- */

static int try_login(uint32_t credential_id, uint32_t import_kek_id, uint8_t first)
{
	struct mlx5dv_crypto_login_attr attr = { .credential_id = credential_id, .import_kek_id = import_kek_id };

	memcpy(attr.credential, credential, sizeof(credential));
	attr.credential[0] ^= first;
	return vx_mlx5_ctx_crypto_login(ctx, &attr);
}

Test(dek, a_context_is_logged_in_once)
{
	if (!takes_wrapped_keys())
		cr_skip("it has no logins");
	cr_expect_eq(vx_mlx5_ctx_crypto_logout(ctx), -ENOENT);
	expect_reason("the context is not logged in");
	log_in();
	cr_expect_eq(try_login(0, 0, 0), -EEXIST);
	expect_reason("the context is logged in: vx_mlx5_ctx_crypto_logout() comes before another login");
	made(vx_mlx5_ctx_crypto_logout(ctx));
}

Test(dek, a_login_that_is_refused_is_told_why)
{
	if (!takes_wrapped_keys()) {
		cr_expect_eq(try_login(0, 0, 0), -EOPNOTSUPP);
		expect_reason("the device takes plain keys only, which need no login");
		return;
	}
	cr_expect_eq(try_login(1 << 24, 0, 0), -EINVAL);
	expect_reason("credential_id = 16777216: such numbers have 24 bits");
	cr_expect_eq(try_login(0, 1 << 24, 0), -EINVAL);
	expect_reason("import_kek_id = 16777216: such numbers have 24 bits");
	cr_expect_eq(try_login(0, 0, 1), -EINVAL);
	expect_reason("the credential may be another than the device has by credential_id, or wrapped by another key than import_kek_id");
}

/* libmlx5 copies from it. */
Test(dek, no_credential_is_refused)
{
	struct vx_mlx5_crypto_login_init init = { .credential_len = 48 };
	struct vx_mlx5_crypto_login *login = NULL;

	cr_expect_eq(vx_mlx5_crypto_login_create(ctx, &init, &login), -EINVAL);
	expect_reason("credential is NULL, and credential_len is not 0");
	cr_expect_null(login);
}

/* libmlx5 copies it to where 48 bytes are. */
Test(dek, a_credential_that_is_too_long_is_refused)
{
	static uint8_t longer[4096];
	struct vx_mlx5_crypto_login_init init = { .credential_len = 49, .credential = longer };
	struct vx_mlx5_crypto_login *login = NULL;

	cr_expect_eq(vx_mlx5_crypto_login_create(ctx, &init, &login), -EINVAL);
	expect_reason("credential_len is beyond 48 bytes, which libmlx5 would write behind");
	init.credential_len = sizeof(longer);
	cr_expect_eq(vx_mlx5_crypto_login_create(ctx, &init, &login), -EINVAL);
	cr_expect_null(login);
}
