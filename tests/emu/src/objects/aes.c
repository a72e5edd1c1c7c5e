/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Plain rather than fast: the state is a column of four bytes after the other, as FIPS 197 has it. */
#include "objects/aes.h"

#include <string.h>

#include "limits.h"

#define COLUMN 4
#define POLYNOMIAL 0x1b /* what x^8 is, in the field of AES */
#define XTS_POLYNOMIAL 0x87 /* and x^128 in the one of XTS */
#define WRAP_UNIT 8
#define WRAP_ROUNDS 6
#define WRAP_IV 0xa6
#define MAX_WRAPPED 80

static uint8_t sbox[256], inverse_sbox[256];

static uint8_t twice(uint8_t a)
{
	return a << 1 ^ (a & 0x80 ? POLYNOMIAL : 0);
}

static uint8_t times(uint8_t a, uint8_t b)
{
	uint8_t product = 0;

	for (; b; b >>= 1, a = twice(a))
		if (b & 1)
			product ^= a;
	return product;
}

/* a^254 is 1/a; of 0 it is 0 */
static uint8_t reciprocal(uint8_t a)
{
	uint8_t power = a, result = 1;

	for (int bit = 1; bit < 8; bit++) {
		power = times(power, power);
		result = times(result, power);
	}
	return result;
}

static uint8_t rotate(uint8_t a, int bits)
{
	return a << bits | a >> (8 - bits);
}

static void make_sboxes(void)
{
	for (int i = 0; i < 256; i++) {
		uint8_t r = reciprocal(i);

		sbox[i] = r ^ rotate(r, 1) ^ rotate(r, 2) ^ rotate(r, 3) ^ rotate(r, 4) ^ 0x63;
		inverse_sbox[sbox[i]] = i;
	}
}

static void xor(uint8_t *to, const uint8_t *with, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] ^= with[i];
}

/* The last word of the key so far, changed at the beginning of each key's length, and for long keys in its middle */
static void next_word(uint8_t word[COLUMN], size_t number, size_t words, uint8_t *constant)
{
	uint8_t first = word[0];

	if (number % words && !(words > 6 && number % words == 4))
		return;
	if (!(number % words)) {
		memmove(word, word + 1, COLUMN - 1);
		word[COLUMN - 1] = first;
	}
	for (int i = 0; i < COLUMN; i++)
		word[i] = sbox[word[i]];
	if (number % words)
		return;
	word[0] ^= *constant;
	*constant = twice(*constant);
}

void aes_set_key(struct aes *a, const uint8_t *key, size_t size)
{
	size_t words = size / COLUMN;
	uint8_t *at = a->key[0], constant = 1;

	if (!sbox[0])
		make_sboxes();
	a->rounds = words + 6;
	memcpy(at, key, size);
	for (size_t i = words; i < (size_t)(a->rounds + 1) * AES_BLOCK / COLUMN; i++) {
		uint8_t *word = at + i * COLUMN;

		memcpy(word, word - COLUMN, COLUMN);
		next_word(word, i, words, &constant);
		xor(word, word - size, COLUMN);
	}
}

static void substitute(uint8_t s[AES_BLOCK], const uint8_t box[256])
{
	for (int i = 0; i < AES_BLOCK; i++)
		s[i] = box[s[i]];
}

/* A row goes left by its number, or back */
static void shift_rows(uint8_t s[AES_BLOCK], bool back)
{
	uint8_t from[AES_BLOCK];

	memcpy(from, s, AES_BLOCK);
	for (int i = 0; i < AES_BLOCK; i++) {
		int row = i % COLUMN, shift = back ? COLUMN - row : row;

		s[i] = from[(i + shift * COLUMN) % AES_BLOCK];
	}
}

static void mix_columns(uint8_t s[AES_BLOCK])
{
	for (uint8_t *c = s; c < s + AES_BLOCK; c += COLUMN) {
		uint8_t all = c[0] ^ c[1] ^ c[2] ^ c[3], first = c[0];

		for (int i = 0; i < COLUMN; i++)
			c[i] ^= all ^ twice(c[i] ^ (i == COLUMN - 1 ? first : c[i + 1]));
	}
}

/* The inverse is the cube */
static void unmix_columns(uint8_t s[AES_BLOCK])
{
	for (int i = 0; i < 3; i++)
		mix_columns(s);
}

static void encrypt_block(const struct aes *a, uint8_t s[AES_BLOCK])
{
	xor(s, a->key[0], AES_BLOCK);
	for (int round = 1; round <= a->rounds; round++) {
		substitute(s, sbox);
		shift_rows(s, false);
		if (round < a->rounds)
			mix_columns(s);
		xor(s, a->key[round], AES_BLOCK);
	}
}

static void decrypt_block(const struct aes *a, uint8_t s[AES_BLOCK])
{
	for (int round = a->rounds; round > 0; round--) {
		xor(s, a->key[round], AES_BLOCK);
		if (round < a->rounds)
			unmix_columns(s);
		shift_rows(s, true);
		substitute(s, inverse_sbox);
	}
	xor(s, a->key[0], AES_BLOCK);
}

void xts_set_keys(struct xts *x, const uint8_t *keys, size_t size)
{
	aes_set_key(&x->data, keys, size);
	aes_set_key(&x->tweak, keys + size, size);
}

/* To that of the next block */
static void advance(uint8_t tweak[AES_BLOCK])
{
	uint8_t carry = 0;

	for (int i = 0; i < AES_BLOCK; i++) {
		uint8_t out = tweak[i] >> 7;

		tweak[i] = tweak[i] << 1 | carry;
		carry = out;
	}
	if (carry)
		tweak[0] ^= XTS_POLYNOMIAL;
}

static void apply_block(const struct xts *x, bool encrypt, const uint8_t tweak[AES_BLOCK], uint8_t *block)
{
	xor(block, tweak, AES_BLOCK);
	if (encrypt)
		encrypt_block(&x->data, block);
	else
		decrypt_block(&x->data, block);
	xor(block, tweak, AES_BLOCK);
}

/* The end of a unit that is not whole blocks: the last block lends the rest what that lacks */
static void apply_end(const struct xts *x, bool encrypt, uint8_t tweak[AES_BLOCK], uint8_t *block, size_t rest)
{
	uint8_t next[AES_BLOCK], swap;

	memcpy(next, tweak, AES_BLOCK);
	advance(next);
	apply_block(x, encrypt, encrypt ? tweak : next, block);
	for (size_t i = 0; i < rest; i++) {
		swap = block[i];
		block[i] = block[AES_BLOCK + i];
		block[AES_BLOCK + i] = swap;
	}
	apply_block(x, encrypt, encrypt ? next : tweak, block);
}

void xts_apply(const struct xts *x, bool encrypt, const uint8_t unit[AES_BLOCK], uint32_t first, uint8_t *data, size_t len)
{
	uint8_t tweak[AES_BLOCK], *whole = data + (len % AES_BLOCK ? len - AES_BLOCK - len % AES_BLOCK : len);

	memcpy(tweak, unit, AES_BLOCK);
	encrypt_block(&x->tweak, tweak);
	while (first--)
		advance(tweak);
	for (; data < whole; data += AES_BLOCK, advance(tweak))
		apply_block(x, encrypt, tweak, data);
	if (len % AES_BLOCK)
		apply_end(x, encrypt, tweak, data, len % AES_BLOCK);
}

bool aes_unwrap(const struct aes *kek, const uint8_t *wrapped, size_t size, uint8_t *key)
{
	uint8_t block[AES_BLOCK], iv[WRAP_UNIT];
	size_t n = size / WRAP_UNIT - 1;

	if (size % WRAP_UNIT || size > MAX_WRAPPED || n < 2)
		return false;
	memset(iv, WRAP_IV, sizeof(iv));
	memcpy(block, wrapped, WRAP_UNIT);
	memcpy(key, wrapped + WRAP_UNIT, size - WRAP_UNIT);
	for (size_t step = WRAP_ROUNDS * n; step > 0; step--) {
		uint8_t *part = key + (step - 1) % n * WRAP_UNIT;

		block[WRAP_UNIT - 1] ^= step; /* which is less than 256 */
		memcpy(block + WRAP_UNIT, part, WRAP_UNIT);
		decrypt_block(kek, block);
		memcpy(part, block + WRAP_UNIT, WRAP_UNIT);
	}
	return !memcmp(block, iv, WRAP_UNIT);
}
