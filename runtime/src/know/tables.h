/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_KNOW_TABLES_H
#define VERBSX_SRC_KNOW_TABLES_H

/*
 * The tables of generated/src/calls.c. Like those of table.h they hold offsets and indices, never pointers. Rows are
 * sorted by name; the index of a row is the number of its slot in the loader.
 */

#include <stddef.h>
#include <stdint.h>

#include <verbsx/call.h>

#include "text/table.h"

#define VX_NO_CALL SIZE_MAX

struct vx_call_row {
	vx_name name;			/* in vx_call_names */
	vx_name version;		/* in vx_call_names */
	vx_name note;			/* in vx_call_names */
	uint8_t library;		/* of vx_libraries; 0: none */
	uint8_t since;			/* release of rdma-core */
	uint8_t kind;			/* enum vx_call_kind */
	uint8_t error : 7;		/* enum vx_call_error */
	uint8_t page : 1;		/* whether a man page has its name */
};

/* A library that exports calls; the first row is unused. */
struct vx_library_row {
	vx_name soname;			/* in vx_call_names */
	vx_name variable;		/* in vx_call_names: VERBSX_IBVERBS_LIB, takes the place of the soname */
	vx_name package;		/* in vx_call_names: what distributions call the package that has it */
};

extern const struct vx_call_row vx_calls[];
extern const uint16_t vx_call_count;
extern const struct vx_library_row vx_libraries[];
extern const uint8_t vx_library_count;
extern const char vx_call_names[];		/* the pool of calls, symbol versions and libraries */

/* The index of a call in vx_calls, or VX_NO_CALL. */
size_t vx_call_index(const char *name);

/* ---- what explains ---- */

/*
 * The tables of generated/src/describe.c and generated/src/meanings.c. Apart from those of table.h, so that
 * a program that only names and prints does not carry them. Offsets, no pointers, as there; offset 0 is "".
 */

/* What there is to say of a field; of those that are alike once. */
struct vx_field_note {
	vx_name type;			/* C type, in vx_texts */
	vx_name valid;			/* when it is valid, in words, in vx_texts */
	uint8_t since;			/* release of rdma-core */
};

extern const struct vx_field_note vx_field_notes[];
extern const uint16_t vx_field_note_of[];	/* by the index in vx_fields */
extern const vx_name vx_form_names[];		/* by enum vx_form, in vx_texts like all that follow */
extern const uint32_t vx_prm_names;		/* in vx_texts: of vx_prm_parts, a blank between */
extern const vx_name vx_struct_pages[];		/* where a structure is documented, "ibv_poll_cq(3)": by the index in vx_structs */
extern const vx_name vx_enum_pages[];		/* by that in vx_enums */
extern const vx_name vx_call_pages[];		/* by that in vx_calls */
extern const vx_name vx_call_wrappers[];	/* what of libverbsx stands for a function: "vx_qp_modify()" */

/*
 * What an enumerator means; sorted by name as strcmp(3) does. Three texts lie behind each other: what it says, its usual
 * causes, the remedy.
 */
struct vx_meaning_row {
	vx_name name;			/* in vx_enum_names */
	uint32_t texts;			/* in vx_texts */
};

struct vx_errno_row {
	int code;			/* positive */
	uint32_t texts;			/* in vx_texts: the three */
};

extern const struct vx_meaning_row vx_meanings[];
extern const uint16_t vx_meaning_count;
extern const struct vx_errno_row vx_errnos[];
extern const uint16_t vx_errno_count;
extern char vx_texts[];				/* empty until they are unpacked */
extern const uint32_t vx_texts_size;
extern const unsigned char vx_packed_texts[];

#define VX_LONGEST_CODE 12
#define VX_REPEATED 128		/* symbols from here on are lengths of what is repeated; those before are letters */
#define VX_SHORTEST 3		/* of them */

/* Huffman's, canonical: how many symbols have a code of one bit, of two, and so on; the symbols, in the order of their codes. */
struct vx_unpacking {
	uint8_t counts[VX_LONGEST_CODE];
	uint8_t symbols[160];
};

extern const struct vx_unpacking vx_letter_code;
extern const struct vx_unpacking vx_distance_code;

/* A text of vx_texts, which it unpacks. */
const char *vx_text_at(uint32_t place);

#endif
