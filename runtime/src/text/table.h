/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TABLE_H
#define VERBSX_SRC_TABLE_H

/*
 * The layout of the generated tables. They hold offsets and indices, never pointers, so that they need no
 * relocation when the library is loaded and stay in pages that all processes share.
 *
 * A name is an offset in a pool of NUL-terminated strings; offset 0 of each pool is the empty string, so 0 stands
 * for "no name". Offsets are vx_name, which is as wide as the pools of the headers at hand want it.
 */

#include <stdint.h>

#include <verbsx/enum.h>
#include <verbsx/print.h>

#include "forms.h"

#define VX_POOL_END "\0\0\0\0\0\0\0"	/* so that eight letters may be read wherever there is one, see vx_write_name() */

/* Nobody else's: compilers reach them without a look at where the loader put them. */
#pragma GCC visibility push(hidden)

/* ---- enums: generated/src/enums.c ---- */

struct vx_enum_row {
	int32_t number;			/* the value; of a wide one its index in vx_enum_wide_values */
	vx_name name;
	uint8_t since;			/* release of rdma-core */
	uint8_t flags;			/* enum vx_enumerator_flags and VX_ROW_WIDE */
};

#define VX_ROW_WIDE (1 << 7)		/* the value takes more than 32 bits */

struct vx_enum_info {
	int32_t low;			/* value that slot 0 stands for; flags: 0, as slots are bits */
	vx_name tag;
	uint16_t row;			/* first of vx_enum_rows; in the order of the headers */
	uint16_t rows;
	uint16_t slot;			/* first of vx_enum_slots: the name of low, low + 1, ...; 0 where none */
	uint16_t slots;			/* flags: at most 64, one a bit; of values none that has a flag beside it; 0: look through the rows */
	uint8_t kind;			/* enum vx_enum_kind */
	uint8_t prefix;			/* length of what all names share, up to and with the last '_' */
	uint16_t flag_bits;		/* VX_ENUM_MIXED: the bits that are flags beside the value */
};

extern const struct vx_enum_info vx_enums[];
extern const uint16_t vx_enum_count;		/* less the last, which stands for what is not known */
extern const uint16_t vx_enum_ids[];		/* by number, 1 + index; 0: not known */
extern const uint16_t vx_enum_id_count;
extern const struct vx_enum_row vx_enum_rows[];
extern const int64_t vx_enum_wide_values[];
extern const vx_name vx_enum_slots[];
extern const char vx_enum_names[];		/* the pool of enums and enumerators */

/* A program that is newer than the library has enums that are NULL here: those have no names. */
static inline const struct vx_enum_info *vx_known_enum(const struct vx_enum_info *e)
{
	return e ? e : &vx_enums[vx_enum_count];
}

/* Whether it is one of enum ibv_rate: devices take as many bits as they have for it, and leave the rest. */
bool vx_is_rate(uint8_t rate);

static inline int64_t vx_row_value(const struct vx_enum_row *row)
{
	return row->flags & VX_ROW_WIDE ? vx_enum_wide_values[row->number] : row->number;
}

/* ---- structures: generated/src/structs.c ---- */

/* What the bytes of a field are. */
enum vx_kind {
	VX_KIND_ABSENT,		/* not in the headers that this was built against */
	VX_KIND_UINT,
	VX_KIND_INT,
	VX_KIND_BOOL,		/* any integer; prints true or false, other values as numbers */
	VX_KIND_ENUM,		/* ref: of vx_enums; one value */
	VX_KIND_FLAGS,		/* ref: of vx_enums; a set of flags */
	VX_KIND_BITMAP,		/* ref: of vx_enums; bit n stands for value n */
	VX_KIND_CODE,		/* ref: of vx_codes; a number with a meaning */
	VX_KIND_STRUCT,		/* ref: of vx_structs; nested */
	VX_KIND_STRING,		/* char array, text up to a NUL or its end */
	VX_KIND_BYTES,		/* a blob, in hex */
	VX_KIND_POINTER,	/* to something opaque or unknown; prints its value; ref: see VX_REF_OWN_HANDLE */
	VX_KIND_FUNCTION,	/* pointer to a function; prints whether it is set */
	VX_KIND_TEXT_POINTER,	/* char *, NUL-terminated; followed with VX_FOLLOW */
	VX_KIND_STRUCT_POINTER,	/* ref: of vx_structs; followed with VX_FOLLOW, length elements */
	VX_KIND_UINT_POINTER,	/* to integers of ref bytes; followed with VX_FOLLOW, length elements */
	VX_KIND_POINTER_POINTER,	/* to pointers, ref as of POINTER; followed with VX_FOLLOW, length elements */
	VX_KIND_BYTES_POINTER,	/* to bytes; followed with VX_FOLLOW, length of them, or ref */
};

enum vx_field_flags {
	VX_FIELD_BIG_ENDIAN = 1 << 0,
	VX_FIELD_EACH = 1 << 0,		/* STRUCT_POINTER to pointers, each to one; length of them */
	VX_FIELD_ZERO = 1 << 1,		/* reserved or must be zero: shown only when it is not */
	VX_FIELD_LIST = 1 << 2,		/* STRUCT_POINTER to the next of a linked list */
	VX_FIELD_LONG = 1 << 2,		/* no pointer, and of 64 bits where those have as many */
	VX_FIELD_UNION = 1 << 3,	/* shares its bytes with the field before; never followed without a rule */
	VX_FIELD_LENGTH_POINTER = 1 << 4, /* length is a power of two: 1 << the count field */
	VX_FIELD_LENGTH_BYTES = 1 << 4,	/* an array without a size: length is in bytes, of which a rest is no element */
	VX_FIELD_DEFAULT = 1 << 4,	/* a number: its rule tells when a 0 is meant, and not a default; it is valid in any case */
	VX_FIELD_SECRET = 1 << 5,	/* key material: no style shows more of it than its length */
};

/* Of the bits that most rows leave zero; the compiler warns where a field is too large for its own. */
struct vx_field {
	vx_name name;			/* see vx_struct_text() */
	uint16_t offset;		/* from the start of the enclosing structure, in bytes */
	uint16_t size : 11;		/* of one element, in bytes; of pointers sizeof(void *) */
	uint16_t form : 5;		/* enum vx_form */
	uint16_t count : 10;		/* elements of an array; 0: not an array; VX_FLEXIBLE: one without a size */
	uint16_t flags : 6;		/* enum vx_field_flags */
	uint16_t ref : 11;		/* of vx_enums, vx_codes, vx_structs or vx_raw_handles, by kind; bytes behind VX_KIND_UINT_POINTER */
	uint16_t kind : 5;		/* enum vx_kind */
	uint16_t rule : 10;		/* of vx_rules: when the field is valid; 0: always */
	uint16_t length : 6;		/* 1 + index (in the structure) of the field that counts the elements; 0: one */
};

#define VX_REF_OWN_HANDLE ((1 << 11) - 1)	/* vx_field.ref of pointers to handles; to objects: of vx_raw_handles; 0: to others */
#define VX_FLEXIBLE ((1 << 10) - 1)	/* vx_field.count of an array without a size */

_Static_assert(sizeof(struct vx_field) == 8 + 2 * sizeof(vx_name) && VX_FORMS <= 1 << 5, "rows of fields are small, and hold all forms");

enum vx_struct_flags {
	VX_STRUCT_UNION = 1 << 0,
	VX_STRUCT_NESTED = 1 << 1,	/* part of another structure, without a tag of its own */
	VX_STRUCT_GROWS_FRONT = 1 << 2,	/* new members come first: verbs_context */
	VX_STRUCT_ONE_VALUE = 1 << 3,	/* prints as its first field alone, in place: ibv_gid; no flexible array */
	VX_STRUCT_HIDDEN = 1 << 4,	/* internal to rdma-core: described, not listed by default */
	VX_STRUCT_FILLED = 1 << 6,	/* by libverbsx, whose pointers are valid: they are followed in any style */
	VX_STRUCT_HANDLE = 1 << 5,	/* stands for every handle of libverbsx; in no table */
};

struct vx_struct {
	vx_name name;			/* see vx_struct_text() */
	uint16_t size;			/* sizeof in the headers at hand; 0: not in them */
	uint16_t field;			/* first of its fields, see vx_field_row() */
	uint16_t fields;
	uint8_t flags;			/* enum vx_struct_flags */
	uint8_t since;			/* release of rdma-core */
	uint8_t width;			/* longest field name, for VX_TEXT */
	uint8_t pad;
};

/*
 * When a field is valid. A rule reads an integer (its selector) relative to the start of the structure that holds the
 * field; a nested one may reach into the structure around it, hence signed. A chain of rules by next must all hold.
 */
enum vx_rule_op {
	VX_RULE_ANY_BIT,	/* selector & value[0] */
	VX_RULE_NO_BIT,		/* !(selector & value[0]) */
	VX_RULE_ONE_OF,		/* selector is one of the values */
	VX_RULE_NONE_OF,	/* selector is none of the values */
	VX_RULE_MASK,		/* as ANY_BIT, of the mask that the caller gave beside the structure */
	VX_RULE_NO_MASK,	/* as NO_BIT, of it */
	VX_RULE_NEVER,		/* only with VX_ALL */
	VX_RULE_BEYOND,		/* selector is more than the value */
};

struct vx_rule {
	int16_t offset;			/* of the selector */
	uint8_t size;			/* of the selector: 1, 2, 4 or 8 bytes */
	uint8_t op;			/* enum vx_rule_op */
	uint16_t value;			/* first of vx_rule_values */
	uint16_t values;
	uint16_t next;			/* of vx_rules, must hold as well; 0: none */
};

/* A number with a meaning of its own: active_width 2 is "4X". */
struct vx_code_row {
	uint16_t value;
	vx_name text;			/* see vx_struct_text() */
};

struct vx_code {
	vx_name name;			/* see vx_struct_text() */
	uint16_t row;			/* first of vx_code_rows */
	uint16_t rows;
	uint16_t e;			/* 1 + index of the enum whose values they are; 0: none */
};

/*
 * These tables are in two parts, which are counted through: libibverbs' and librdmacm's own, and behind them those of vendors, of
 * libverbsx and of vx_signatures. A static program that prints the first alone is linked without the others, see parts.h.
 */
struct vx_core_rows {
	uint16_t structs;
	uint16_t fields;
	vx_name names;			/* bytes */
};

extern const struct vx_core_rows vx_core;	/* how many the first part has */
extern const struct vx_struct vx_structs[];
extern const struct vx_struct vx_more_structs[];
extern const uint16_t vx_struct_count;		/* of both; behind these: one for each of vx_signatures */
extern const uint16_t vx_struct_ids[];		/* by number, 1 + index; 0: not known */
extern const uint16_t vx_struct_id_count;
extern const struct vx_field vx_fields[];
extern const struct vx_field vx_more_fields[];
extern const struct vx_rule vx_rules[];		/* the first is unused */
extern const uint64_t vx_rule_values[];
extern const struct vx_code vx_codes[];
extern const struct vx_code_row vx_code_rows[];
extern const uint16_t vx_errno_code;		/* of vx_codes */
extern const char vx_struct_names[];		/* the pool of structures, fields and codes */
extern const char vx_more_struct_names[];

/** A structure by its index in both parts. */
static inline const struct vx_struct *vx_struct_row(unsigned int index)
{
	return index < vx_core.structs ? &vx_structs[index] : &vx_more_structs[index - vx_core.structs];
}

/** The other way round. */
static inline uint16_t vx_struct_index(const struct vx_struct *s)
{
	uintptr_t at = (uintptr_t)s - (uintptr_t)vx_structs;

	return (uint16_t)(at < vx_core.structs * sizeof(*s) ? at / sizeof(*s) : (size_t)(s - vx_more_structs) + vx_core.structs);
}

static inline const struct vx_field *vx_field_row(unsigned int index)
{
	return index < vx_core.fields ? &vx_fields[index] : &vx_more_fields[index - vx_core.fields];
}

/** The name of a structure or field, or the text of a code. */
static inline const char *vx_struct_text(vx_name name)
{
	return name < vx_core.names ? vx_struct_names + name : vx_more_struct_names + (name - vx_core.names);
}

#pragma GCC visibility pop

#endif
