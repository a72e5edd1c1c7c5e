/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/cipher.h"

#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "objects/crypto.h"
#include "objects/mkey.h"
#include "objects/signature.h"

/* A BSF for encryption as libmlx5 lays it out */
enum {
	BSF_ORDER = 1,
	BSF_STANDARD = 3,
	BSF_UNIT_SELECTOR = 8,
	BSF_TWEAK = 16, /* the highest byte comes first */
	BSF_DEK = 33,
	BSF_KEYTAG = 40
};

#define STANDARD_AES_XTS 0

/* The orders: what is encrypted, and beyond or below its signatures */
enum {
	ENCRYPTED_WIRE_SIGNATURE,
	ENCRYPTED_MEMORY_SIGNATURE,
	ENCRYPTED_RAW_WIRE,
	ENCRYPTED_RAW_MEMORY
};

static bool set_up(struct cipher *c, const uint8_t *bsf, const struct object *pd)
{
	uint32_t dek = bsf[BSF_DEK] << 16 | bsf[BSF_DEK + 1] << 8 | bsf[BSF_DEK + 2];
	uint8_t order = bsf[BSF_ORDER];

	c->unit = signature_block_size(bsf[BSF_UNIT_SELECTOR]);
	c->encrypts = order == ENCRYPTED_WIRE_SIGNATURE || order == ENCRYPTED_RAW_WIRE;
	c->on_wire = order == ENCRYPTED_WIRE_SIGNATURE || order == ENCRYPTED_RAW_MEMORY;
	for (int i = 0; i < AES_BLOCK; i++)
		c->tweak[i] = bsf[BSF_TWEAK + AES_BLOCK - 1 - i];
	if (bsf[BSF_STANDARD] == STANDARD_AES_XTS && order <= ENCRYPTED_RAW_MEMORY && c->unit)
		c->keys = crypto_keys(dek, pd, bsf + BSF_KEYTAG);
	return c->keys;
}

struct cipher *cipher_of(const uint8_t *bsf, const struct object *pd)
{
	struct cipher *c = calloc(1, sizeof(*c));

	if (c && set_up(c, bsf, pd))
		return c;
	free(c);
	return NULL;
}

void cipher_free(struct cipher *c)
{
	if (c)
		xts_free(c->keys);
	free(c);
}

static uint32_t whole_blocks(uint32_t bytes)
{
	return bytes - bytes % AES_BLOCK;
}

/* How much of a unit can be computed when @bytes of it are there: its last whole block needs what is behind it */
static uint32_t computable(const struct cipher *c, uint32_t bytes)
{
	uint32_t most = c->unit % AES_BLOCK ? whole_blocks(c->unit) - AES_BLOCK : c->unit;

	if (bytes == c->unit)
		return bytes;
	return whole_blocks(bytes) < most ? whole_blocks(bytes) : most;
}

/* Bytes of a unit from @first on, a whole block */
static bool apply(const struct cipher *c, bool encrypt, uint64_t number, uint32_t first, uint8_t *data, uint32_t len)
{
	uint8_t tweak[AES_BLOCK];
	uint64_t sum = number;

	for (int i = 0; i < AES_BLOCK; i++, sum >>= 8) {
		sum += c->tweak[i];
		tweak[i] = sum;
	}
	return !len || xts_apply(c->keys, encrypt, tweak, first / AES_BLOCK, data, len);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of one unit, bytes that begin at @offset; what is transferred ends with them or goes on in the next */
static int read_unit(struct object *pd, struct mkey *m, uint64_t number, uint32_t offset, uint32_t len, uint8_t *to)
{
	const struct cipher *c = m->cipher;
	uint32_t end = offset + len, first = whole_blocks(offset), last = whole_blocks(c->unit) - AES_BLOCK;
	uint8_t unit[LARGEST_UNIT];

	if (c->unit % AES_BLOCK && first > last)
		first = last;
	if (computable(c, end) != end || mkey_move_signed(pd, m, false, number * c->unit + first, end - first, unit))
		return -1;
	if (!apply(c, c->encrypts, number, first, unit, end - first))
		return -1;
	memcpy(to, unit + offset - first, len);
	return 0;
}

int cipher_read(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, uint8_t *to)
{
	while (len) {
		uint32_t offset = at % m->cipher->unit, n = smaller(len, m->cipher->unit - offset);

		if (read_unit(pd, m, at / m->cipher->unit, offset, n, to))
			return -1;
		at += n;
		to += n;
		len -= n;
	}
	return 0;
}

/* More of the unit under way, or of another one: false where that does not begin with a block */
static bool receive(struct cipher *c, uint64_t number, uint32_t offset, const uint8_t *from, uint32_t n)
{
	if (!offset || c->number != number || c->end != offset) {
		if (offset % AES_BLOCK)
			return false;
		c->number = number;
		c->done = offset;
	}
	memcpy(c->received + offset, from, n);
	c->end = offset + n;
	return true;
}

static int store(struct object *pd, struct mkey *m)
{
	struct cipher *c = m->cipher;
	uint32_t first = c->done, end = computable(c, c->end);
	uint8_t unit[LARGEST_UNIT];

	if (end <= first)
		return 0;
	memcpy(unit, c->received + first, end - first);
	if (!apply(c, !c->encrypts, c->number, first, unit, end - first))
		return -1;
	c->done = end;
	return mkey_move_signed(pd, m, true, c->number * c->unit + first, end - first, unit);
}

int cipher_write(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, const uint8_t *from)
{
	struct cipher *c = m->cipher;

	while (len) {
		uint32_t offset = at % c->unit, n = smaller(len, c->unit - offset);

		if (!receive(c, at / c->unit, offset, from, n) || store(pd, m))
			return -1;
		at += n;
		from += n;
		len -= n;
	}
	return 0;
}

/* A unit as it is in memory is as long as the memory goes; part of one is put into what is there */
static int move_in_unit(struct object *pd, const struct mkey *m, bool to_memory, uint64_t number, uint32_t offset,
			uint32_t len, uint8_t *buffer)
{
	const struct cipher *c = m->cipher;
	uint64_t start = number * c->unit;
	uint32_t size = smaller(c->unit, m->len - start);
	uint8_t unit[LARGEST_UNIT];

	if (offset + len > size || computable(c, size) != size || mkey_move_raw(pd, m, false, start, size, unit) ||
	    !apply(c, c->encrypts, number, 0, unit, size))
		return -1;
	if (!to_memory) {
		memcpy(buffer, unit + offset, len);
		return 0;
	}
	memcpy(unit + offset, buffer, len);
	return apply(c, !c->encrypts, number, 0, unit, size) ? mkey_move_raw(pd, m, true, start, size, unit) : -1;
}

int cipher_move(struct object *pd, const struct mkey *m, bool to_memory, uint64_t at, uint64_t len, uint8_t *buffer)
{
	while (len) {
		uint32_t offset = at % m->cipher->unit, n = smaller(len, m->cipher->unit - offset);

		if (move_in_unit(pd, m, to_memory, at / m->cipher->unit, offset, n, buffer))
			return -1;
		at += n;
		buffer += n;
		len -= n;
	}
	return 0;
}
