/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/aes.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "objects/cipher.h"
#include "trace.h"

#define LIBRARY "libcrypto.so.3"
#define WRAP_UNIT 8
#define WRAP_ALLOWED 0x1 /* a flag of contexts, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW: for who knows that wrapping makes more bytes */

enum {
	DECRYPT,
	ENCRYPT,
	DIRECTIONS
};

/*
 * What is used of it, declared here so that the device is built without OpenSSL's headers; the soname keeps these as they are.
 * What can fail lies between set_mark and pop_to_mark: a program that has this very library would find errors of ours in the queue
 * of its thread. What encrypts data, unit by unit, has no reason to fail, and would take twice as long with these.
 */
static struct {
	void *(*lib_ctx_new)(void);
	void *(*fetch)(void *lib, const char *name, const char *properties);
	void *(*make)(void);
	void (*drop)(void *ctx);
	void (*set_flags)(void *ctx, int flags);
	int (*init)(void *ctx, const void *cipher, const uint8_t *key, const uint8_t *iv, int encrypt, const void *params);
	int (*update)(void *ctx, uint8_t *out, int *out_len, const uint8_t *in, int len);
	int (*set_mark)(void);
	int (*pop_to_mark)(void);
} evp;

static const struct {
	const char *name;
	void *at;
} functions[] = {
	{ "OSSL_LIB_CTX_new", &evp.lib_ctx_new },
	{ "EVP_CIPHER_fetch", &evp.fetch },
	{ "EVP_CIPHER_CTX_new", &evp.make },
	{ "EVP_CIPHER_CTX_free", &evp.drop },
	{ "EVP_CIPHER_CTX_set_flags", &evp.set_flags },
	{ "EVP_CipherInit_ex2", &evp.init },
	{ "EVP_CipherUpdate", &evp.update },
	{ "ERR_set_mark", &evp.set_mark },
	{ "ERR_pop_to_mark", &evp.pop_to_mark },
};

static void *xts_128, *xts_256, *wrap_128;

struct xts {
	void *ctx[DIRECTIONS];
};

/* A program's own OpenSSL, which it may export, is not for this one to bind to; but sanitizers want no library that is deaf to them */
static void *open_library(void)
{
	bool sanitized = dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init");

	return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | (sanitized ? 0 : RTLD_DEEPBIND));
}

/* With a context of its own, in which nothing of the machine's openssl.cnf or of the program's providers counts */
static bool fetch_ciphers(void)
{
	void *lib;

	evp.set_mark();
	lib = evp.lib_ctx_new();
	xts_128 = lib ? evp.fetch(lib, "AES-128-XTS", NULL) : NULL;
	xts_256 = lib ? evp.fetch(lib, "AES-256-XTS", NULL) : NULL;
	wrap_128 = lib ? evp.fetch(lib, "AES-128-WRAP", NULL) : NULL;
	evp.pop_to_mark();
	return xts_128 && xts_256 && wrap_128;
}

static bool find_functions(void *library)
{
	void *found = library;

	for (size_t i = 0; i < ARRAY_SIZE(functions) && found; i++) {
		found = dlsym(library, functions[i].name);
		memcpy(functions[i].at, &found, sizeof(found));
	}
	return found;
}

static bool load(void)
{
	if (!find_functions(open_library())) {
		complain("the device encrypts nothing, as it has no libcrypto of OpenSSL 3 (Debian: libssl3): %s", dlerror());
		return false;
	}
	if (!fetch_ciphers()) {
		complain("the device encrypts nothing, as " LIBRARY " has no AES-XTS");
		return false;
	}
	return true;
}

bool aes_is_there(void)
{
	static bool tried, there;

	if (!tried)
		there = load();
	tried = true;
	return there;
}

static bool set_keys(struct xts *x, const uint8_t *keys, size_t size)
{
	bool ok = true;

	evp.set_mark();
	for (int way = 0; way < DIRECTIONS && ok; way++) {
		x->ctx[way] = evp.make();
		ok = x->ctx[way] && evp.init(x->ctx[way], size == AES_BLOCK ? xts_128 : xts_256, keys, NULL, way, NULL) == 1;
	}
	evp.pop_to_mark();
	return ok;
}

struct xts *xts_make(const uint8_t *keys, size_t size)
{
	struct xts *x = aes_is_there() ? calloc(1, sizeof(*x)) : NULL;

	if (x && set_keys(x, keys, size))
		return x;
	xts_free(x);
	return NULL;
}

void xts_free(struct xts *x)
{
	for (int way = 0; x && way < DIRECTIONS; way++)
		evp.drop(x->ctx[way]);
	free(x);
}

/* It begins with the unit */
static bool apply(void *ctx, const uint8_t tweak[AES_BLOCK], uint8_t *data, size_t len)
{
	int done = 0;

	return evp.init(ctx, NULL, NULL, tweak, -1, NULL) == 1 && evp.update(ctx, data, &done, data, len) == 1 &&
	       (size_t)done == len;
}

/* To libcrypto a unit is whole, but no block depends on what is in those before it */
bool xts_apply(const struct xts *x, bool encrypt, const uint8_t tweak[AES_BLOCK], uint32_t first, uint8_t *data, size_t len)
{
	size_t before = first * AES_BLOCK;
	uint8_t unit[LARGEST_UNIT];

	if (!first)
		return apply(x->ctx[encrypt], tweak, data, len);
	memset(unit, 0, before);
	memcpy(unit + before, data, len);
	if (!apply(x->ctx[encrypt], tweak, unit, before + len))
		return false;
	memcpy(data, unit + before, len);
	return true;
}

static bool unwrap(void *ctx, const uint8_t kek[AES_BLOCK], const uint8_t *wrapped, size_t size, uint8_t *key)
{
	int len = 0;

	evp.set_flags(ctx, WRAP_ALLOWED);
	return evp.init(ctx, wrap_128, kek, NULL, DECRYPT, NULL) == 1 && evp.update(ctx, key, &len, wrapped, size) == 1 &&
	       (size_t)len == size - WRAP_UNIT;
}

bool aes_unwrap(const uint8_t kek[AES_BLOCK], const uint8_t *wrapped, size_t size, uint8_t *key)
{
	void *ctx;
	bool ok;

	if (!aes_is_there())
		return false;
	evp.set_mark();
	ctx = evp.make();
	ok = ctx && unwrap(ctx, kek, wrapped, size, key);
	evp.drop(ctx);
	evp.pop_to_mark();
	return ok;
}
