/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Structures of any bytes, but with valid pointers: see torture_web(). */

#include <stdlib.h>
#include <string.h>

#include "torture.h"

#define DEEPEST 3
#define MOST_ELEMENTS 5
#define MOST_BLOCKS 20000
#define MOST_POINTERS 256	/* in one structure */

/* All memory of one case. */
static void *blocks[MOST_BLOCKS];
static size_t block_count;

/* A pointer that was set, to be looked at again when all of the structure is. */
struct pointer {
	const struct vx_struct *s;	/* that has it */
	const struct vx_field *field;
	unsigned char *base;		/* of the structure */
	void *target;
	uint64_t count;			/* elements there */
};

struct web {
	struct pointer pointers[MOST_POINTERS];
	size_t count;
	unsigned int depth;
	unsigned char *top;		/* the structure that has them all */
	unsigned char *head;		/* the first of the list that it is in, or itself */
};

static void *block(size_t size)
{
	torture_check(block_count < MOST_BLOCKS);
	return blocks[block_count++] = torture_exactly(size);
}

void torture_web_free(void)
{
	while (block_count)
		free(blocks[--block_count]);
}

/* ---- counters ---- */

static const struct vx_field *counter_of(const struct vx_struct *s, const struct vx_field *f)
{
	return f->length ? vx_field_row(s->field + f->length - 1) : NULL;
}

static unsigned int shift_of(const struct vx_field *f, size_t i)
{
	return 8 * (unsigned int)(f->flags & VX_FIELD_BIG_ENDIAN ? f->size - 1 - i : i);
}

static void write_number(const struct vx_field *f, unsigned char *base, uint64_t value)
{
	size_t i;

	for (i = 0; i < f->size; i++)
		base[f->offset + i] = (unsigned char)(value >> shift_of(f, i));
}

static uint64_t read_number(const struct vx_field *f, const unsigned char *base)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < f->size; i++)
		value |= (uint64_t)base[f->offset + i] << shift_of(f, i);
	return value;
}

/* How many elements the structure says that there are behind a pointer. */
static uint64_t said_count(const struct vx_struct *s, const struct vx_field *f, const unsigned char *base)
{
	const struct vx_field *counter = counter_of(s, f);
	uint64_t count = counter ? read_number(counter, base) : 1;

	if (f->flags & VX_FIELD_LENGTH_POINTER)
		return count < 64 ? UINT64_C(1) << count : 0;
	return count;
}

/* ---- pointers ---- */

static void plant(struct web *web, const struct vx_struct *s, unsigned char *base);
static void fill_struct(const struct vx_struct *s, unsigned char *bytes, unsigned char *head, unsigned int depth);

static bool is_pointer(const struct vx_field *f)
{
	return f->kind >= VX_KIND_TEXT_POINTER && f->kind <= VX_KIND_BYTES_POINTER;
}

static size_t element_size(const struct vx_field *f)
{
	switch (f->kind) {
	case VX_KIND_STRUCT_POINTER:
		return f->flags & VX_FIELD_EACH ? sizeof(void *) : vx_struct_row(f->ref)->size;
	case VX_KIND_UINT_POINTER:
		return f->ref;
	case VX_KIND_POINTER_POINTER:
		return sizeof(void *);
	default:
		return 1;
	}
}

/* The array that a structure ends with and counts; NULL: it has none. */
static const struct vx_field *counted_end(const struct vx_struct *s)
{
	const struct vx_field *last = vx_field_row(s->field + s->fields - 1u);

	return s->fields && last->count == VX_FLEXIBLE && last->length ? last : NULL;
}

/* Room for a structure, and for what it may count behind itself. */
static unsigned char *struct_block(const struct vx_struct *s)
{
	const struct vx_field *end = counted_end(s);
	const size_t more = end ? (size_t)end->size * MOST_ELEMENTS : 0;
	unsigned char *bytes = block(s->size + more);

	torture_fill(bytes + s->size, more);
	return bytes;
}

static void *text_block(void)
{
	size_t len = torture_below(20);
	unsigned char *text = block(len + 1);

	torture_fill(text, len);
	text[len] = '\0';
	return text;
}

/* One structure behind each of a row of pointers, or none. */
static void *pointed_elements(const struct web *web, const struct vx_field *f, uint64_t count)
{
	void **row = block(sizeof(*row) * count);
	uint64_t i;

	for (i = 0; i < count; i++) {
		row[i] = torture_below(8) ? struct_block(vx_struct_row(f->ref)) : NULL;
		if (row[i])
			fill_struct(vx_struct_row(f->ref), row[i], row[i], web->depth + 1);
	}
	return row;
}

static void *elements(const struct web *web, const struct vx_field *f, uint64_t count)
{
	size_t size = element_size(f), i;
	unsigned char *bytes, *at;

	if (f->kind == VX_KIND_STRUCT_POINTER && f->flags & VX_FIELD_EACH)
		return pointed_elements(web, f, count);
	at = bytes = f->kind == VX_KIND_STRUCT_POINTER && count == 1 ? struct_block(vx_struct_row(f->ref)) : block(size * count);
	if (f->kind != VX_KIND_STRUCT_POINTER) {
		torture_fill(bytes, size * count);
		return bytes;
	}
	for (i = 0; i < count; i++, at += size)
		fill_struct(vx_struct_row(f->ref), at, f->flags & VX_FIELD_LIST ? web->head : at, web->depth + 1);
	return bytes;
}

/* What a pointer may point to; NULL where there would be too much. */
static void *target_of(const struct web *web, const struct vx_field *f, const unsigned char *base, uint64_t count)
{
	if (torture_below(8) == 0 || web->depth == DEEPEST || !element_size(f) || count > MOST_ELEMENTS << 3)
		return NULL;
	if (f->kind == VX_KIND_TEXT_POINTER && !f->length)
		return text_block();
	if (f->flags & VX_FIELD_LIST && base == web->top && torture_below(4) == 0)
		return torture_below(2) ? web->top : web->head;
	return elements(web, f, count);
}

static void set_pointer(unsigned char *base, const struct vx_field *f, void *target)
{
	memcpy(base + f->offset, &target, sizeof(target));
}

static void plant_pointer(struct web *web, const struct vx_struct *s, const struct vx_field *f, unsigned char *base)
{
	uint64_t count = said_count(s, f, base);
	struct pointer pointer = { s, f, base, target_of(web, f, base, count), count };

	torture_check(web->count < MOST_POINTERS);
	web->pointers[web->count++] = pointer;
	set_pointer(base, f, pointer.target);
}

static void plant_counts(const struct vx_struct *s, unsigned char *base)
{
	size_t i;

	for (i = 0; i < s->fields; i++) {
		const struct vx_field *f = vx_field_row(s->field + i);

		if (f == counted_end(s) || (is_pointer(f) && f->length && torture_below(8)))
			write_number(counter_of(s, f), base, torture_below(MOST_ELEMENTS + 1));
	}
}

static void plant_nested(struct web *web, const struct vx_field *f, unsigned char *base)
{
	size_t i, count = f->count == VX_FLEXIBLE ? 0 : f->count ? f->count : 1;

	for (i = 0; i < count; i++)
		plant(web, vx_struct_row(f->ref), base + f->offset + i * f->size);
}

static void plant(struct web *web, const struct vx_struct *s, unsigned char *base)
{
	size_t i;

	plant_counts(s, base);
	for (i = 0; i < s->fields; i++) {
		const struct vx_field *f = vx_field_row(s->field + i);

		if (f->kind == VX_KIND_STRUCT)
			plant_nested(web, f, base);
		else if (is_pointer(f))
			plant_pointer(web, s, f, base);
	}
}

/* Members of a union may have overwritten each other: then the pointer is not what it was meant to be. */
static void close_overwritten(const struct web *web)
{
	const struct pointer *p;

	for (p = web->pointers; p < web->pointers + web->count; p++) {
		void *now;

		memcpy(&now, p->base + p->field->offset, sizeof(now));
		if (now != p->target || said_count(p->s, p->field, p->base) > p->count)
			set_pointer(p->base, p->field, NULL);
	}
}

static void fill_struct(const struct vx_struct *s, unsigned char *bytes, unsigned char *head, unsigned int depth)
{
	struct web web = { .depth = depth, .top = bytes, .head = head };

	torture_fill(bytes, s->size);
	plant(&web, s, bytes);
	close_overwritten(&web);
}

unsigned char *torture_web(const struct vx_struct *s)
{
	unsigned char *bytes = struct_block(s);

	fill_struct(s, bytes, bytes, 0);
	return bytes;
}
