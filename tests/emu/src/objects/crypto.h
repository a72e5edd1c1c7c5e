/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Keys to encrypt data with (DEKs), and logins: general objects of DEVX. A device that imports wrapped keys has
 * one key to unwrap them with and one credential, both with the ID 0.
 */
#ifndef EMU_CRYPTO_H
#define EMU_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CRYPTO_KEYTAG_SIZE 8

/* What config.crypto is */
enum {
	CRYPTO_OFF,
	CRYPTO_WRAPPED, /* keys come wrapped, from who has logged in */
	CRYPTO_PLAINTEXT
};

struct context;
struct object;
struct xts;

/* Whether the device encrypts: it is asked to, and has what it does so with. */
bool crypto_is_offered(void);

/* See whether an object of that type can be made, and unwrap the key of a DEK in its body: 0, or a status. */
uint8_t crypto_admit(struct context *ctx, uint16_t type, uint8_t *body, size_t len);

/* See whether one can be queried, and take the key out of what the program is to read: 0, or a status. */
uint8_t crypto_conceal(struct context *ctx, uint16_t type, uint8_t *body, size_t len);

/* The keys of a DEK; NULL where there is none of that number for a PD, it has another tag, or they are no keys. */
struct xts *crypto_keys(uint32_t dek, const struct object *pd, const uint8_t keytag[CRYPTO_KEYTAG_SIZE]);

#endif
