/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_PRINTER_H
#define VERBSX_SRC_PRINTER_H

/*
 * The parts of the struct printer: print.c begins, walk.c goes through the fields, block.c prints
 * structures within structures and what pointers point to, value.c prints what stands in one line, style.c knows how the three styles
 * differ around both. object_print.c prints handles.
 */

#include <verbsx/print.h>

#include "out.h"
#include "table.h"

#define VX_DEEPEST 16		/* structures within structures, followed ones included */
#define VX_MOST_FOLLOWED 4096	/* elements behind all pointers together, so that a cycle ends */

struct vx_printer {
	struct vx_out *out;
	uint64_t mask;			/* beside the structure at hand */
	enum vx_style style;		/* VX_TEXT, VX_COMPACT or VX_JSON */
	bool all;
	bool follow;
	/* What writes pointers to objects of rdma-core, by vx_field.ref; NULL: by their handles. */
	void (*put_raw)(struct vx_out *out, uint16_t handle, const void *raw);
	bool first;			/* nothing has been printed in this block */
	unsigned int indent;		/* levels, of VX_TEXT */
	unsigned int width;		/* of the labels of a handle, in VX_TEXT */
	unsigned int depth;		/* 0: no structure, but an argument of a call, which ", " sets apart from others */
	const struct vx_tail *tail;	/* what stands behind the outermost structure; NULL: nothing */
	unsigned int followed;
	const uint32_t *most;			/* of a list that is counted, how many are looked at by who takes it; NULL: all */
	uintptr_t around[VX_DEEPEST];	/* the structures that enclose the one at hand, by address */
};

/* A structure in memory: what may be read of it lies in [bytes, bytes + size), it begins at start there. */
struct vx_view {
	const struct vx_struct *s;
	const unsigned char *bytes;
	size_t size;
	int64_t start;			/* below 0 where the caller's structure lacks members at the front */
	bool sure;			/* it is what it seems, so its pointers may be followed */
};

/** The bytes at an offset from the start of a structure; NULL where they cannot be read. */
static inline const unsigned char *vx_view_at(const struct vx_view *view, int64_t offset, size_t len)
{
	int64_t at = view->start + offset;

	if (at < 0 || (uint64_t)at > view->size || len > view->size - (uint64_t)at)
		return NULL;
	return view->bytes + at;
}

static inline const struct vx_field *vx_field_of(const struct vx_struct *s, unsigned int index)
{
	return vx_field_row(s->field + index);
}

/** What holds its value itself: no structure, no pointer. */
static inline bool vx_is_plain(const struct vx_field *f)
{
	return f->kind < VX_KIND_POINTER && f->kind != VX_KIND_STRUCT;
}

static inline bool vx_is_number_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* read.c: rules */

/** Whether a field is valid by the masks and selectors around it. */
bool vx_rule_holds(const struct vx_view *view, uint16_t rule, uint64_t mask);

/** Whether something else may lie in the bytes of a field: a member of a union that no rule selects. */
bool vx_field_is_loose(const struct vx_struct *s, const struct vx_field *f);

/* read.c */

/** An unsigned integer of 1, 2, 4 or 8 bytes. */
static inline uint64_t vx_read_unsigned(const unsigned char *at, size_t size)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (size) {
	case 1:
		return *at;
	case 2:
		memcpy(&u16, at, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case 8:
		memcpy(&u64, at, sizeof(u64));
		return u64;
	default:
		return 0;
	}
}

/**
 * A number of up to 64 bits in what a device or a peer reads, whose bits are counted from the most significant of the first byte: so are
 * those of mailboxes, MADs and messages.
 */
uint64_t vx_bits_get(const void *bytes, unsigned int offset, unsigned int width);
void vx_bits_put(void *bytes, unsigned int offset, unsigned int width, uint64_t value);

/** The integer in a field, by its byte order; sign-extended where it is signed. */
uint64_t vx_read_field(const struct vx_field *f, const unsigned char *at);

/** The pointer in a field. */
const void *vx_read_pointer(const unsigned char *at);

/**
 * How many elements a field that is counted by another has: 0 where the count cannot be read, or is
 * negative.
 */
uint64_t vx_read_length(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/** How many elements of an array in the structure itself count and can be read; 1 of what is no array. */
size_t vx_elements(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/* style.c */

/** A name in a column of @p width, and what separates it from what was before. */
void vx_label_text(struct vx_printer *p, const char *name, size_t width);

/** The same of a name of the tables. */
void vx_label_name(struct vx_printer *p, vx_name name, size_t width);

/* Columns that stand before a line of VX_TEXT. */
static inline size_t vx_indent(const struct vx_printer *p)
{
	return (size_t)p->indent * 2;
}

/* Most labels fit in this: a store of a fixed size costs a few cycles, where one of a varying size costs a call. */
#define VX_SHORT_LABEL 64

/** A label of VX_TEXT, with a name of the tables. @return behind it; NULL: it is long, or @p end near, before which anything may have been written */
static inline char *vx_write_label(char *to, const char *end, vx_name name, size_t indent, size_t width)
{
	char *behind;

	if (indent + width > VX_SHORT_LABEL - strlen(" : ") || end - to < 2 * VX_SHORT_LABEL)
		return NULL;
	memset(to, ' ', VX_SHORT_LABEL);
	to += indent;
	behind = vx_write_name(to, end - VX_SHORT_LABEL, vx_struct_text(name));
	if (!behind)
		return NULL;
	memset(behind, ' ', VX_SHORT_LABEL);
	to = (behind > to + width ? behind : to + width) + strlen(" : ");
	to[-2] = ':';
	return to;
}

/** What ends a field that stands in one line. */
void vx_label_end(struct vx_printer *p);

/** The heading of a block in VX_TEXT: "name:" or, for index >= 0, "name[2]:". */
void vx_heading(struct vx_printer *p, const char *name, int64_t index);

void vx_block_open(struct vx_printer *p);
void vx_block_close(struct vx_printer *p);

/** Between the elements of an array. */
void vx_comma(struct vx_printer *p);

/* value.c */

/** Whether a structure is printed as its first field alone. */
bool vx_is_one_value(const struct vx_struct *s);

/**
 * What a field holds, in one line: as an array, "[1, 2, 3]", where its table says so, of @p count
 * elements.
 */
void vx_put_field_value(struct vx_printer *p, const struct vx_field *f, const unsigned char *at, size_t count);

/** "[1, 2, 3]". @param cut  there are more than @p count */
void vx_put_array(struct vx_printer *p, const struct vx_field *f, const unsigned char *at, size_t count, bool cut);

/** A blob by its form, in hexadecimal where it has none. */
void vx_put_blob(struct vx_printer *p, enum vx_form form, const unsigned char *at, size_t count, bool cut);

/** What stands for bytes that are nobody's business. */
void vx_put_secret(struct vx_printer *p, uint64_t count);

void vx_put_string_value(struct vx_printer *p, const char *text, size_t len);

/** In JSON, what begins a pointer that is not NULL; '}' ends it. */
void vx_open_pointer(struct vx_printer *p, const void *pointer);

/* block.c */

/** Where pointers are followed, a whole structure is believed as well: what it counts behind itself may be read. */
void vx_view_grow(const struct vx_printer *p, struct vx_view *view);

/** Whether an array that a structure ends with counts more than anybody takes: garbage, of which nothing is read. */
bool vx_is_cut(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/** Whether the pointer in a field is to be followed: asked for, valid, and not NULL or back to what encloses it. */
bool vx_follows(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/** What a pointer that vx_follows() points to, in one line. */
void vx_put_followed(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/** Whether a field is printed as one or several blocks. */
bool vx_is_block(const struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

void vx_put_blocks(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/** What stands behind a structure, by vx_printer.tail. */
void vx_put_tail(struct vx_printer *p, const struct vx_view *view);

/* Of the room of objects, which not every program is linked with. */

/** A handle: its name, what it depends on, and what rdma-core tells about it. */
void vx_put_object(struct vx_printer *p, const void *object);

/**
 * The name of the handle of a raw object, such as "mlx5_0 qp 17"; nothing is written where it has none.
 *
 * @param kind  the word for what the raw object is used as, such as "pd" of a parent domain; NULL: any
 */
bool vx_put_name_of(struct vx_out *out, const void *raw, const char *kind);

/** The same of a handle; nothing is written where it is none, and it is not looked at before that is known. */
bool vx_put_name_of_handle(struct vx_out *out, const void *handle);

/** The mailbox of a command of DEVX or, where that is given, of its answer. */
void vx_put_mailbox(struct vx_out *out, const void *in, size_t inlen, const void *answer, size_t len);

/* walk.c */

/** A field with its name, in one line or as blocks. */
void vx_put_field(struct vx_printer *p, const struct vx_view *view, const struct vx_field *f);

/** All fields of a structure but @p skip, which may be NULL. */
void vx_walk(struct vx_printer *p, const struct vx_view *view, const struct vx_field *skip);

/* ---- values of enums, written into a sink (enum.c) ---- */

/** What vx_enum_snprint() prints. @return whether every part of the value has a name */
bool vx_enum_put(struct vx_out *out, const struct vx_enum_info *e, int64_t value);

/**
 * The names of a set, unknown bits as one "0x..." at the end, unless they are quoted.
 *
 * @param bitmap  bit n stands for the value n, rather than for the flag 1 << n
 * @return the bits that have no name
 */
uint64_t vx_enum_join(struct vx_join *join, const struct vx_enum_info *e, uint64_t set, bool bitmap);

/** The enumerator with a number among the words of its name, as IBV_MTU_1024 has one that is not its value; NULL: none. */
const struct vx_enum_row *vx_enum_row_naming(const struct vx_enum_info *e, uint64_t number);

/* ---- a field of a structure by its path, such as "cap.max_send_wr" (read.c) ---- */

struct vx_place {
	const struct vx_field *field;
	const unsigned char *at;
};

/* A whole structure in memory. */
struct vx_view vx_view_of(struct vx_type type, const void *ptr);

/** A field by the first bytes of a text; NULL where there is none. */
const struct vx_field *vx_field_named(const struct vx_struct *s, const char *name, size_t len);

/**
 * Find a field.
 *
 * @param mask  beside the structure: only what it selects is found; VX_MASK_ALL for all
 * @return whether there is such a field, and it is valid by the masks and selectors around it
 */
bool vx_place_find(const struct vx_view *view, const char *path, uint64_t mask, struct vx_place *out);

/** The number in it, sign-extended; a pointer's is its address. */
uint64_t vx_place_value(const struct vx_place *place);

/** Its value as vx_print() shows it. */
void vx_put_place(struct vx_out *out, const struct vx_place *place);

#endif
