/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_SIGNATURE_H
#define VERBSX_SRC_SIGNATURE_H

/*
 * The tables of generated/src/signatures.c: what a call of rdma-core takes and gives, for traces and for what explains
 * failures. Its arguments are kept as an integer of 64 bits each: a structure, whose fields generated/src/structs.c has with
 * all others. Like the tables of table.h, these have no pointers.
 */

#include "printer.h"

/* What stands right behind a structure: others, each of which says how long it is. */
struct vx_tail {
	vx_name name;				/* see vx_struct_text() */
	uint16_t desc;				/* of vx_structs: what each is */
	uint8_t count_at, count_size;		/* the field of the structure before them that counts them */
	uint8_t size_at, size_size;		/* the field of each that has its size */
};

/* A call: what it takes and gives. Its parameters are the fields of a structure, see vx_struct_of_call(). */
struct vx_signature {
	uint16_t call;				/* of vx_calls */
	uint8_t head;				/* how many parameters are read before the call */
	uint8_t filled;				/* by bits, those that are read after it, if it succeeded */
	uint8_t given;				/* by bits, pointers to a structure that the call reads */
	uint8_t mask;				/* 1 + index of the mask beside its structure; 0: none */
	uint8_t tail;				/* 1 + place in vx_tails of what stands behind its structure; 0: nothing */
	uint8_t locks;				/* memory of the process, of which RLIMIT_MEMLOCK says how much there may be */
};

/*
 * An object of rdma-core, as messages name it. The first row is unused; what follows the last are a context and a device,
 * which have their names in them.
 */
struct vx_handle {
	uint16_t desc;				/* of vx_structs; says nothing where both of the fields below are 0 */
	vx_name kind;				/* by vx_struct_text(): "qp" */
	uint8_t number : 4;			/* 1 + index of the field that tells one from another; 0: none */
	uint8_t context : 4;			/* 1 + index of the field with the context; 0: none */
};

/* Such a field, by 1 + its index; NULL where there is none. */
static inline const struct vx_field *vx_handle_field(const struct vx_handle *handle, unsigned int index)
{
	const struct vx_field *f = index ? vx_field_of(vx_struct_row(handle->desc), index - 1) : NULL;

	return f && f->kind != VX_KIND_ABSENT ? f : NULL;
}

extern const struct vx_signature vx_signatures[];
extern const uint16_t vx_signature_count;
extern const struct vx_tail vx_tails[];
extern const struct vx_handle vx_raw_handles[];
extern const uint8_t vx_raw_handle_count;

/* A row of arguments as a structure: a field for each, and one more for what the call returns, which its size leaves out. */
static inline const struct vx_struct *vx_struct_of_call(const struct vx_signature *call)
{
	return vx_struct_row(vx_struct_count + (unsigned int)(call - vx_signatures));
}

static inline struct vx_view vx_view_of_args(const struct vx_signature *call, const uint64_t *args)
{
	const struct vx_struct *s = vx_struct_of_call(call);

	return (struct vx_view){ .s = s, .bytes = (const unsigned char *)args, .size = s->size, .sure = true };
}

/* What of its structure counts. */
static inline uint64_t vx_mask_of_args(const struct vx_signature *call, const uint64_t *args)
{
	return call->mask ? args[call->mask - 1] : VX_MASK_ALL;
}

#endif
