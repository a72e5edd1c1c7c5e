/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* AES: in the XTS mode of IEEE 1619, for data, and unwrapping keys as of NIST SP 800-38F. */
#ifndef EMU_AES_H
#define EMU_AES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AES_BLOCK 16
#define AES_MAX_ROUNDS 14

struct aes {
	int rounds;
	uint8_t key[AES_MAX_ROUNDS + 1][AES_BLOCK]; /* of each round */
};

/* XTS has a key for the data and one for the tweak. */
struct xts {
	struct aes data, tweak;
};

/* @size: 16 or 32 bytes */
void aes_set_key(struct aes *a, const uint8_t *key, size_t size);

/* Both keys, of @size bytes each. */
void xts_set_keys(struct xts *x, const uint8_t *keys, size_t size);

/**
 * Encrypt or decrypt a part of a data unit, in place.
 *
 * @param tweak  of the unit
 * @param first  block of the unit with which the part begins
 * @param len    at least a block; if it is not whole blocks, the part has the end of the unit
 */
void xts_apply(const struct xts *x, bool encrypt, const uint8_t tweak[AES_BLOCK], uint32_t first, uint8_t *data,
	       size_t len);

/* From @size bytes, which are multiples of 8, to 8 less; false where it was wrapped with another key. */
bool aes_unwrap(const struct aes *kek, const uint8_t *wrapped, size_t size, uint8_t *key);

#endif
