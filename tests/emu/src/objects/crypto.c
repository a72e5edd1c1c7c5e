/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/crypto.h"

#include <string.h>

#include "calls/devx.h"
#include "calls/prm.h"
#include "config.h"
#include "objects/aes.h"
#include "objects/devx_object.h"
#include "objects/object.h"

/* Types of general objects */
enum {
	TYPE_DEK = 0x0c,
	TYPE_LOGIN = 0x1f
};

/* Fields of an encryption key and of a login */
static const struct field DEK_KEY_SIZE = { 84, 4 };
static const struct field DEK_HAS_KEYTAG = { 88, 1 };
static const struct field DEK_KEY_PURPOSE = { 92, 4 };
static const struct field DEK_PD = { 104, 24 };
static const struct field LOGIN_CREDENTIAL_POINTER = { 136, 24 };
static const struct field LOGIN_IMPORT_KEK_PTR = { 168, 24 };

#define DEK_KEY_AT 64
#define DEK_KEY_ROOM 128
#define LOGIN_CREDENTIAL_AT 64

enum {
	KEY_SIZE_128,
	KEY_SIZE_256
};

#define PURPOSE_AES_XTS 3
#define WRAPPING 8 /* bytes that a wrapped key has more */
#define CREDENTIAL_SIZE 40

bool crypto_is_offered(void)
{
	return config.crypto && aes_is_there();
}

static bool unwrap(const uint8_t *wrapped, size_t size, uint8_t *to)
{
	uint8_t kek[AES_BLOCK];

	for (int i = 0; i < AES_BLOCK; i++)
		kek[i] = i;
	return aes_unwrap(kek, wrapped, size, to);
}

static uint8_t admit_login(const uint8_t *body, size_t len)
{
	uint8_t credential[CREDENTIAL_SIZE];

	if (config.crypto != CRYPTO_WRAPPED || len < LOGIN_CREDENTIAL_AT + CREDENTIAL_SIZE + WRAPPING ||
	    prm_get(body, LOGIN_CREDENTIAL_POINTER) || prm_get(body, LOGIN_IMPORT_KEK_PTR) ||
	    !unwrap(body + LOGIN_CREDENTIAL_AT, CREDENTIAL_SIZE + WRAPPING, credential))
		return STATUS_BAD_PARAM;
	for (int i = 0; i < CREDENTIAL_SIZE; i++)
		if (credential[i] != i)
			return STATUS_BAD_PARAM;
	return 0;
}

/* Of each of the two */
static size_t key_size(const uint8_t *body)
{
	return prm_get(body, DEK_KEY_SIZE) == KEY_SIZE_256 ? 32 : 16;
}

static uint8_t admit_dek(struct context *ctx, uint8_t *body, size_t len)
{
	size_t size = 2 * key_size(body) + (prm_get(body, DEK_HAS_KEYTAG) ? CRYPTO_KEYTAG_SIZE : 0);
	uint8_t key[DEK_KEY_ROOM];

	if (!crypto_is_offered() || len < DEK_KEY_AT + DEK_KEY_ROOM || prm_get(body, DEK_KEY_SIZE) > KEY_SIZE_256 ||
	    prm_get(body, DEK_KEY_PURPOSE) != PURPOSE_AES_XTS || !object_get(PD, prm_get(body, DEK_PD)))
		return STATUS_BAD_PARAM;
	if (config.crypto == CRYPTO_PLAINTEXT)
		return 0;
	if (!general_exists(ctx, TYPE_LOGIN))
		return STATUS_BAD_RES_STATE;
	if (!unwrap(body + DEK_KEY_AT, size + WRAPPING, key))
		return STATUS_BAD_PARAM;
	memcpy(body + DEK_KEY_AT, key, size);
	return 0;
}

uint8_t crypto_admit(struct context *ctx, uint16_t type, uint8_t *body, size_t len)
{
	switch (type) {
	case TYPE_DEK:
		return admit_dek(ctx, body, len);
	case TYPE_LOGIN:
		return admit_login(body, len);
	default:
		return 0;
	}
}

uint8_t crypto_conceal(struct context *ctx, uint16_t type, uint8_t *body, size_t len)
{
	if (type == TYPE_DEK && config.crypto == CRYPTO_WRAPPED && !general_exists(ctx, TYPE_LOGIN))
		return STATUS_BAD_RES_STATE;
	if (type == TYPE_DEK && len > DEK_KEY_AT)
		memset(body + DEK_KEY_AT, 0, len - DEK_KEY_AT);
	return 0;
}

struct xts *crypto_keys(uint32_t dek, const struct object *pd, const uint8_t keytag[CRYPTO_KEYTAG_SIZE])
{
	const uint8_t *body = general_body(dek, TYPE_DEK), *key = body ? body + DEK_KEY_AT : NULL;

	if (!body || prm_get(body, DEK_PD) != pd->number)
		return NULL;
	if (prm_get(body, DEK_HAS_KEYTAG) && memcmp(key + 2 * key_size(body), keytag, CRYPTO_KEYTAG_SIZE))
		return NULL;
	return xts_make(key, key_size(body));
}
