/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Mkeys whose data are encrypted with AES-XTS: in memory, or on the wire. The data units are counted from
 * the beginning of the key. With signatures, encryption is on the one or on the other side of them.
 */
#ifndef EMU_CIPHER_H
#define EMU_CIPHER_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/aes.h"

#define LARGEST_UNIT 4160

struct mkey;
struct object;

struct cipher {
	struct xts *keys;
	uint8_t tweak[AES_BLOCK]; /* of the first unit; the lowest byte comes first */
	uint32_t unit; /* bytes in one */
	bool encrypts; /* what goes to the wire; else it decrypts that */
	bool on_wire; /* beyond the signatures; else between these and memory */

	/* What came by the wire of a unit that is not complete */
	uint64_t number; /* which one */
	uint32_t end, done; /* so much of it is there, so much is in memory */
	uint8_t received[LARGEST_UNIT];
};

/* What a BSF of 64 bytes says, of a key of @pd; NULL without memory, or where its DEK is not there or another one. */
struct cipher *cipher_of(const uint8_t *bsf, const struct object *pd);
void cipher_free(struct cipher *c);

/* Read or write bytes at a place on the wire: 0, or -1 where the memory is not accessible or the amount is not one for XTS. */
int cipher_read(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, uint8_t *to);
int cipher_write(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, const uint8_t *from);

/* Likewise what is in memory, in the form that signatures are about. */
int cipher_move(struct object *pd, const struct mkey *m, bool to_memory, uint64_t at, uint64_t len, uint8_t *buffer);

#endif
