/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/signature.h"

#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "objects/checksum.h"
#include "objects/mkey.h"
#include "objects/qp.h"

#define LARGEST_BLOCK 4160

/* A BSF as libmlx5 lays it out: sizes, masks and formats, then what T10 DIF needs on the wire and in memory */
enum {
	BSF_SIZE_SBS = 0,
	BSF_CHECK_MASK = 1,
	BSF_WIRE_SELECTOR =
		2, /* of a block size or, with blocks that are the same, a mask of what is copied */
	BSF_MEMORY_SELECTOR = 3,
	BSF_WIRE_FORMAT = 8,
	BSF_MEMORY_FORMAT = 12,
	BSF_WIRE_DIF = 32,
	BSF_MEMORY_DIF = 48
};

#define SIZE_SHIFT 6
#define SIZE_WITH_INLINE 2
#define SIZE_WITH_CIPHER 3 /* another BSF follows */
#define SAME_BLOCKS 0x10

/* Of a format */
enum {
	FORMAT_SEED_IS_0 = 1,
	FORMAT_REPEAT = 2,
	FORMAT_CRC32 = 0x20,
	FORMAT_CRC32C = 0x40,
	FORMAT_CRC64_XP10 = 0x50
};

/* Of an inline section for T10 DIF */
enum {
	DIF_VALID = 0x80, /* in byte 0 */
	DIF_APP_TAG = 2,
	DIF_REF_TAG = 4,
	DIF_GUARD = 8,
	DIF_GUARD_IP = 2,
	DIF_SEED = 9,
	DIF_SEED_IS_1 = 1 << 3,
	DIF_CHECK = 13,
	DIF_REF_COUNTS = 1 << 6,
	DIF_APP_REF_ESCAPE = 2,
	DIF_APP_ESCAPE = 1
};

static const uint16_t block_sizes[] = { [1] = 512, [2] = 520, [3] = 4096, [4] = 4160, [6] = 4048 };

static const struct {
	uint8_t format;
	enum sig_type type;
	uint8_t size;
} formats[] = {
	{ FORMAT_CRC32, SIG_CRC32, 4 },
	{ FORMAT_CRC32C, SIG_CRC32C, 4 },
	{ FORMAT_CRC64_XP10, SIG_CRC64, 8 },
};

static void parse_dif(struct sig_domain *d, const uint8_t *dif)
{
	uint32_t ref;

	memcpy(&ref, dif + DIF_REF_TAG, sizeof(ref));
	*d = (struct sig_domain){
		.type = SIG_DIF,
		.size = 8,
		.seed_is_0 = !(dif[DIF_SEED] & DIF_SEED_IS_1),
		.ip_checksum = dif[DIF_GUARD] == DIF_GUARD_IP,
		.app_escape = dif[DIF_CHECK] & DIF_APP_ESCAPE,
		.app_ref_escape = dif[DIF_CHECK] & DIF_APP_REF_ESCAPE,
		.ref_counts = dif[DIF_CHECK] & DIF_REF_COUNTS,
		.app_tag = dif[DIF_APP_TAG] << 8 | dif[DIF_APP_TAG + 1],
		.ref_tag = be32toh(ref),
	};
}

static void parse_domain(struct sig_domain *d, uint8_t format, const uint8_t *dif)
{
	*d = (struct sig_domain){ .type = SIG_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if ((format & ~(FORMAT_SEED_IS_0 | FORMAT_REPEAT)) == formats[i].format)
			*d = (struct sig_domain){ .type = formats[i].type,
						  .size = formats[i].size,
						  .seed_is_0 = format & FORMAT_SEED_IS_0 };
	if (dif[0] & DIF_VALID)
		parse_dif(d, dif);
}

uint32_t signature_block_size(uint8_t selector)
{
	return selector < ARRAY_SIZE(block_sizes) ? block_sizes[selector] : 0;
}

/* Where a domain has no signature, its blocks are those of the other */
static bool set_blocks(struct signature *s, const uint8_t *bsf)
{
	bool same = bsf[BSF_SIZE_SBS] & SAME_BLOCKS;

	s->memory.block = signature_block_size(bsf[BSF_MEMORY_SELECTOR]);
	s->wire.block = same ? s->memory.block : signature_block_size(bsf[BSF_WIRE_SELECTOR]);
	if (!s->memory.size)
		s->memory.block = s->wire.block;
	if (!s->wire.size)
		s->wire.block = s->memory.block;
	s->copy = same ? bsf[BSF_WIRE_SELECTOR] : 0;
	return s->memory.block && s->wire.block;
}

bool signature_is_wanted(const uint8_t *bsf)
{
	return bsf[BSF_SIZE_SBS] >> SIZE_SHIFT != SIZE_WITH_CIPHER || bsf[BSF_MEMORY_SELECTOR] ||
	       bsf[BSF_WIRE_SELECTOR];
}

struct signature *signature_of(const uint8_t *bsf, uint32_t qpn)
{
	struct signature *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->qpn = qpn;
	s->check = bsf[BSF_CHECK_MASK];
	parse_domain(&s->memory, bsf[BSF_MEMORY_FORMAT], bsf + BSF_MEMORY_DIF);
	parse_domain(&s->wire, bsf[BSF_WIRE_FORMAT], bsf + BSF_WIRE_DIF);
	if (bsf[BSF_SIZE_SBS] >> SIZE_SHIFT >= SIZE_WITH_INLINE && set_blocks(s, bsf))
		return s;
	free(s);
	return NULL;
}

/* A transfer through a key */
struct access {
	struct object *pd;
	struct mkey *m;
	struct signature *s;
};

static uint64_t on_the(const struct sig_domain *d, uint64_t data)
{
	return data + data / d->block * d->size;
}

/* Bytes of data in so many of a domain; a signature that is not whole is none */
static uint64_t data_in(const struct sig_domain *d, uint64_t len)
{
	uint64_t unit = d->block + d->size, rest = len % unit;

	return len / unit * d->block + (rest < d->block ? rest : d->block);
}

uint64_t signature_wire_len(const struct signature *s, uint64_t memory_len)
{
	return on_the(&s->wire, data_in(&s->memory, memory_len));
}

/* Data of some blocks, without what lies between them in memory */
static int move_data(const struct access *a, bool to_memory, uint64_t data, uint64_t len, uint8_t *buffer)
{
	const struct sig_domain *d = &a->s->memory;

	while (len) {
		uint64_t n = d->block - data % d->block;

		n = n < len ? n : len;
		if (mkey_move_below(a->pd, a->m, to_memory, on_the(d, data), n, buffer))
			return -1;
		data += n;
		buffer += n;
		len -= n;
	}
	return 0;
}

static uint64_t dif_of(const struct sig_domain *d, uint64_t number, const uint8_t *block)
{
	uint16_t seed = d->seed_is_0 ? 0 : UINT16_MAX;
	uint16_t guard = d->ip_checksum ? checksum_ip(seed, block, d->block) :
					  checksum_t10dif(seed, block, d->block);
	uint32_t ref = d->ref_tag + (d->ref_counts ? number : 0);

	return (uint64_t)guard << 48 | (uint64_t)d->app_tag << 32 | ref;
}

/* From the top, however short it is */
static uint64_t sign(const struct sig_domain *d, uint64_t number, const uint8_t *block)
{
	uint64_t seed = d->seed_is_0 ? 0 : UINT64_MAX;

	switch (d->type) {
	case SIG_CRC32:
		return (uint64_t)checksum_crc32(seed, block, d->block) << 32;
	case SIG_CRC32C:
		return (uint64_t)checksum_crc32c(seed, block, d->block) << 32;
	case SIG_CRC64:
		return checksum_crc64(seed, block, d->block);
	default:
		return dif_of(d, number, block);
	}
}

static int compute(const struct access *a, const struct sig_domain *d, uint64_t number, uint64_t *signature)
{
	uint8_t block[LARGEST_BLOCK];

	if (move_data(a, false, number * d->block, d->block, block))
		return -1;
	*signature = sign(d, number, block);
	return 0;
}

static uint64_t load(const struct sig_domain *d, const uint8_t *bytes)
{
	uint64_t value = 0;

	memcpy(&value, bytes, d->size);
	return be64toh(value);
}

static void store(uint8_t *bytes, const struct sig_domain *d, uint64_t value)
{
	value = htobe64(value);
	memcpy(bytes, &value, d->size);
}

/* Where the signature of a block lies in memory */
static int move_signature(const struct access *a, bool to_memory, uint64_t number, uint8_t *bytes)
{
	const struct sig_domain *d = &a->s->memory;

	return mkey_move_below(a->pd, a->m, to_memory, on_the(d, number * d->block) + d->block, d->size,
			       bytes);
}

static uint64_t byte_mask(uint8_t mask)
{
	uint64_t bytes = 0;

	for (int i = 0; i < 8; i++)
		if (mask & 0x80 >> i)
			bytes |= 0xffull << (56 - 8 * i);
	return bytes;
}

static bool is_exempt(const struct sig_domain *d, uint64_t is)
{
	bool app = (is >> 32 & UINT16_MAX) == UINT16_MAX, ref = (is & UINT32_MAX) == UINT32_MAX;

	return d->type == SIG_DIF && ((d->app_escape && app) || (d->app_ref_escape && app && ref));
}

static void check_guard(const struct access *a, const struct sig_domain *d, uint64_t number, uint64_t should,
		  uint64_t is)
{
	struct sig_error e = { .expected = should,
			       .actual = is,
			       .mkey = mkey_value(a->m),
			       .on_wire = d == &a->s->wire,
			       .is_dif = d->type == SIG_DIF,
			       .differs = (should ^ is) & byte_mask(a->s->check),
			       .offset = number * (d->block + d->size) + d->block };

	if (e.differs && !is_exempt(d, is))
		qp_signature_error(qp_by_number(a->s->qpn), &e);
}

/* The blocks of a domain whose last byte of data is among these */
static uint64_t first_block(const struct sig_domain *d, uint64_t data)
{
	return data / d->block;
}

static uint64_t end_block(const struct sig_domain *d, uint64_t data, uint64_t len)
{
	return (data + len) / d->block;
}

static bool is_there(const struct access *a, uint64_t number)
{
	const struct sig_domain *d = &a->s->memory;

	return (number + 1) * (d->block + d->size) <= a->m->len;
}

/* What was read is checked where its block ends */
static int check_memory(const struct access *a, uint64_t data, uint64_t len)
{
	const struct sig_domain *d = &a->s->memory;
	uint64_t should;
	uint8_t is[8];

	for (uint64_t i = first_block(d, data); d->size && i < end_block(d, data, len) && is_there(a, i);
	     i++) {
		if (compute(a, d, i, &should) || move_signature(a, false, i, is))
			return -1;
		check_guard(a, d, i, should, load(d, is));
	}
	return 0;
}

static int sign_memory(const struct access *a, uint64_t data, uint64_t len)
{
	const struct sig_domain *d = &a->s->memory;
	uint64_t should;
	uint8_t bytes[8];

	for (uint64_t i = first_block(d, data); d->size && i < end_block(d, data, len) && is_there(a, i);
	     i++) {
		if (compute(a, d, i, &should))
			return -1;
		store(bytes, d, should);
		if (move_signature(a, true, i, bytes))
			return -1;
	}
	return 0;
}

/* The signature of a block that goes on the wire: new, but for bytes that are those of memory */
static int wire_signature(const struct access *a, uint64_t number, uint8_t bytes[8])
{
	uint64_t signature, copied = byte_mask(a->s->copy);
	uint8_t memory[8];

	if (compute(a, &a->s->wire, number, &signature))
		return -1;
	if (copied) {
		if (move_signature(a, false, number, memory))
			return -1;
		signature = (signature & ~copied) | (load(&a->s->memory, memory) & copied);
	}
	store(bytes, &a->s->wire, signature);
	return 0;
}

/* The signature of a block has come by the wire */
static int take_signature(const struct access *a, uint64_t number)
{
	const struct sig_domain *wire = &a->s->wire, *memory = &a->s->memory;
	uint64_t should, is = load(wire, a->s->received), copied = byte_mask(a->s->copy);
	uint8_t bytes[8];

	if (compute(a, wire, number, &should))
		return -1;
	check_guard(a, wire, number, should, is);
	if (!copied || !memory->size)
		return 0;
	if (move_signature(a, false, number, bytes))
		return -1;
	store(bytes, memory, (load(memory, bytes) & ~copied) | (is & copied));
	return move_signature(a, true, number, bytes);
}

/* A piece of the wire that is data alone, or of one signature */
struct piece {
	bool is_data;
	uint64_t number, offset, len; /* in the block, or its signature */
};

static struct piece next_piece(const struct sig_domain *d, uint64_t at, uint64_t len)
{
	uint64_t unit = d->block + d->size;
	struct piece p = { .number = at / unit, .offset = at % unit };
	uint64_t room;

	p.is_data = p.offset < d->block;
	if (!p.is_data)
		p.offset -= d->block;
	room = (p.is_data ? d->block : d->size) - p.offset;
	p.len = len < room ? len : room;
	return p;
}

int signature_read(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, uint8_t *to)
{
	struct access a = { pd, m, m->signature };

	while (len) {
		struct piece p = next_piece(&a.s->wire, at, len);
		uint64_t data = p.number * a.s->wire.block + p.offset;
		uint8_t bytes[8];

		if (p.is_data) {
			if (move_data(&a, false, data, p.len, to) || check_memory(&a, data, p.len))
				return -1;
		} else {
			if (wire_signature(&a, p.number, bytes))
				return -1;
			memcpy(to, bytes + p.offset, p.len);
		}
		at += p.len;
		to += p.len;
		len -= p.len;
	}
	return 0;
}

int signature_write(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, const uint8_t *from)
{
	struct access a = { pd, m, m->signature };

	while (len) {
		struct piece p = next_piece(&a.s->wire, at, len);
		uint64_t data = p.number * a.s->wire.block + p.offset;

		if (p.is_data) {
			if (move_data(&a, true, data, p.len, (uint8_t *)from) || sign_memory(&a, data, p.len))
				return -1;
		} else {
			memcpy(a.s->received + p.offset, from, p.len);
			if (p.offset + p.len == a.s->wire.size && take_signature(&a, p.number))
				return -1;
		}
		at += p.len;
		from += p.len;
		len -= p.len;
	}
	return 0;
}
