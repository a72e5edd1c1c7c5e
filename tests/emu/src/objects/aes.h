/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * AES, by the libcrypto of OpenSSL 3: in the XTS mode of IEEE 1619, for data, and unwrapping keys as of NIST SP 800-38F.
 *
 * The library is opened when it is first needed. Linked, it would be in front of what the program's own libraries bind to: of any
 * program, also of one that has another OpenSSL, as this device is preloaded. So it is opened, with names that nobody else binds to.
 * A program that has the same one, by its soname, shares it: no error of ours stays in the queue that it has for each thread.
 */
#ifndef EMU_AES_H
#define EMU_AES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AES_BLOCK 16

/* A pair of keys for XTS, ready for use. */
struct xts;

/* Whether there is a libcrypto; the first to ask has it opened, and what is wrong with it told on stderr. */
bool aes_is_there(void);

/* Both keys, of @size bytes each, 16 or 32; NULL without memory or libcrypto, or where the two are equal. */
struct xts *xts_make(const uint8_t *keys, size_t size);
void xts_free(struct xts *x);

/**
 * Encrypt or decrypt a part of a data unit, in place.
 *
 * @param tweak  of the unit
 * @param first  block of the unit with which the part begins
 * @param len    at least a block, and with what is before it LARGEST_UNIT at most; if it is not whole blocks, the part has the
 *               end of the unit
 * @return whether that was done
 */
bool xts_apply(const struct xts *x, bool encrypt, const uint8_t tweak[AES_BLOCK], uint32_t first, uint8_t *data,
	       size_t len);

/* From @size bytes, which are multiples of 8, to 8 less, by a key of 16 bytes; false where it was wrapped with another key. */
bool aes_unwrap(const uint8_t kek[AES_BLOCK], const uint8_t *wrapped, size_t size, uint8_t *key);

#endif
