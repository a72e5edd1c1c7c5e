/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Logins to mlx5 devices that encrypt, and what such devices are asked for that is not there. */

#include <string.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_vfio.h>

#include "../emu/credential.h"
#include "mistakes.h"

/* ---- on a device of its own ---- */

static int log_in(struct bench *b, struct mlx5dv_crypto_login_attr attr)
{
	memcpy(attr.credential, credential, sizeof(credential));
	return vx_mlx5_ctx_crypto_login(b->ctx, &attr);
}

/* libmlx5 forgets a login that its context is closed with. */
static int log_in_twice(struct bench *b)
{
	int rc;

	must(log_in(b, (struct mlx5dv_crypto_login_attr){ 0 }));
	rc = log_in(b, (struct mlx5dv_crypto_login_attr){ 0 });
	must(vx_mlx5_ctx_crypto_logout(b->ctx));
	return rc;
}

int login_alone(struct bench *b, const char *action)
{
	must(vx_ctx_open_index(0, &b->ctx));
	if (!strcmp(action, "login by a number"))
		return log_in(b, (struct mlx5dv_crypto_login_attr){ .credential_id = 1 << 24 });
	if (!strcmp(action, "login by a key"))
		return log_in(b, (struct mlx5dv_crypto_login_attr){ .import_kek_id = 1 << 24 });
	if (!strcmp(action, "login by nothing"))
		return vx_mlx5_ctx_crypto_login(b->ctx, &(struct mlx5dv_crypto_login_attr){ 0 });
	if (!strcmp(action, "login"))
		return log_in(b, (struct mlx5dv_crypto_login_attr){ 0 });
	return strcmp(action, "login twice") ? vx_mlx5_ctx_crypto_logout(b->ctx) : log_in_twice(b);
}

static int wrapped(struct bench *b, const char *action)
{
	return alone(b, action, "VERBSX_EMU_CONFIG", "crypto=wrapped");
}

static int login_where_keys_are_plain(struct bench *b)
{
	return alone(b, "login", "VERBSX_EMU_CONFIG", "crypto=plaintext");
}

static int login_by_a_wide_number(struct bench *b)
{
	return wrapped(b, "login by a number");
}

static int login_by_a_wide_key(struct bench *b)
{
	return wrapped(b, "login by a key");
}

static int login_by_nothing(struct bench *b)
{
	return wrapped(b, "login by nothing");
}

static int login_twice(struct bench *b)
{
	return wrapped(b, "login twice");
}

static int logout_first(struct bench *b)
{
	return wrapped(b, "login that ends");
}

/* ---- on the device at hand ---- */

static int long_credential(struct bench *b)
{
	struct vx_mlx5_crypto_login_init init = { .credential_len = 64, .credential = (uint8_t[64]){ 0 } };

	return vx_mlx5_crypto_login_create(b->ctx, &init, &(struct vx_mlx5_crypto_login *){ NULL });
}

static int no_credential(struct bench *b)
{
	return vx_mlx5_crypto_login_create(b->ctx, &(struct vx_mlx5_crypto_login_init){ .credential_len = 48 }, &(struct vx_mlx5_crypto_login *){ NULL });
}

static int many_entries(struct bench *b)
{
	struct vx_mlx5_mkey_init init = { .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, .max_entries = 60000 };

	expect_answer(b);
	return vx_mlx5_mkey_create(b->pd, &init, &(struct vx_mlx5_mkey *){ NULL });
}

static int no_vfio(struct bench *b)
{
	(void)b;
	return vx_mlx5_vfio_open("0000:ff:1f.7", 0, &(struct vx_ctx *){ NULL });
}

static const struct mistake mistakes[] = {
	{ "a login of a device that takes plain keys", login_where_keys_are_plain, -EOPNOTSUPP, "the device takes plain keys only, which need no login" },
	{ "a login by a number of more than 24 bits", login_by_a_wide_number, -EINVAL, "credential_id = 16777216: such numbers have 24 bits" },
	{ "a login by a key's number of more than 24 bits", login_by_a_wide_key, -EINVAL, "import_kek_id = 16777216: such numbers have 24 bits" },
	{ "a login by nothing", login_by_nothing, -EINVAL, "the credential may be another than the device has by credential_id" },
	{ "a second login", login_twice, -EEXIST, "the context is logged in: vx_mlx5_ctx_crypto_logout() comes before another login" },
	{ "a logout before a login", logout_first, -ENOENT, "the context is not logged in" },
	{ "a credential that is too long", long_credential, -EINVAL, "credential_len is beyond 48 bytes" },
	{ "no credential", no_credential, -EINVAL, "credential is NULL, and credential_len is not 0" },
	{ "an mkey of more entries than the device has room for", many_entries, -ENOMEM, "max_entries = 60000 may be more than the device takes", "devx_create:ENOMEM" },
	{ "a device by VFIO where there is none", no_vfio, -ENODEV, "vfio-pci has no mlx5 device there" },
};

CHAPTER(vendor_logins, "Logins of mlx5");
