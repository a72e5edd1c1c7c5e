/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Mkeys whose data are signed: a signature after each block, of the form that a domain has. In the memory
 * behind the key is one, on the wire (which is also what a program reads and writes through the key) another. On
 * the way signatures are checked, put in, taken out, or copied, as the BSF (byte stream format) says.
 */
#ifndef EMU_SIGNATURE_H
#define EMU_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

struct mkey;
struct object;

enum sig_type {
	SIG_NONE,
	SIG_CRC32,
	SIG_CRC32C,
	SIG_CRC64,
	SIG_DIF
};

struct sig_domain {
	enum sig_type type;
	uint32_t block; /* bytes of data that are signed together */
	uint32_t size; /* of the signature; 0: there is none */
	bool seed_is_0; /* else all ones */
	/* T10 DIF */
	bool ip_checksum, app_escape, app_ref_escape, ref_counts;
	uint16_t app_tag;
	uint32_t ref_tag;
};

struct signature {
	struct sig_domain memory, wire;
	uint8_t check, copy; /* masks of bytes, from the top; the latter: from one domain to the other */
	uint32_t qpn; /* of the QP that made it so, which hears of errors */
	uint8_t received[8]; /* so far, of one that comes by the wire */
};

/* A signature that is not what it should be; shorter ones are at the top */
struct sig_error {
	uint64_t expected, actual, differs, offset;
	uint32_t mkey;
	bool on_wire, is_dif;
};

/* The bytes of a block by their number in a BSF; 0 for none. */
uint32_t signature_block_size(uint8_t selector);

/* Whether a BSF of 64 bytes has a signature in either domain: beside encryption it may have none. */
bool signature_is_wanted(const uint8_t *bsf);

/* What a BSF of 64 bytes says; NULL without memory, or where it asks for what there is not. */
struct signature *signature_of(const uint8_t *bsf, uint32_t qpn);

/* Bytes on the wire for so many in memory. */
uint64_t signature_wire_len(const struct signature *s, uint64_t memory_len);

/* Read or write bytes at a place on the wire: 0, or -1 where the memory is not accessible. */
int signature_read(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, uint8_t *to);
int signature_write(struct object *pd, struct mkey *m, uint64_t at, uint64_t len, const uint8_t *from);

#endif
