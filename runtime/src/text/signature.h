/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_SIGNATURE_H
#define VERBSX_SRC_SIGNATURE_H

/*
 * The tables of generated/src/signatures.c: what the parameters of a call of rdma-core are, for traces and for what explains
 * failures. Its arguments are kept as an integer of 64 bits each. Like the tables of table.h, these have no pointers.
 */

#include "printer.h"

enum vx_param_flags {
	VX_PARAM_OUT = 1 << 0,			/* read after the call, if that succeeded */
	VX_PARAM_HANDLE = 1 << 1,		/* ref: of vx_raw_handles */
	VX_PARAM_MASKED = 1 << 2,		/* other: the mask beside the structure */
	VX_PARAM_COUNTED = 1 << 3,		/* other: how many elements there are */
	VX_PARAM_RESULT_COUNTS = 1 << 4,	/* the call returns how many */
	VX_PARAM_BIG_ENDIAN = 1 << 5,
	VX_PARAM_TAIL = 1 << 6,			/* other: of vx_tails */
	VX_PARAM_ASKS = 1 << 7,			/* of OUT: read before the call as well, for what it asks for */
};

struct vx_param {
	vx_name name;				/* in vx_struct_names */
	uint16_t ref;				/* as of struct vx_field; of BYTES_POINTER the number of bytes */
	uint8_t kind;				/* enum vx_kind */
	uint8_t form;				/* enum vx_form */
	uint8_t flags;				/* enum vx_param_flags */
	uint8_t other;				/* 1 + index of another parameter; 0: none */
};

/* What stands right behind a structure: others, each of which says how long it is. */
struct vx_tail {
	vx_name name;				/* in vx_struct_names */
	uint16_t desc;				/* of vx_structs: what each is */
	uint8_t count_at, count_size;		/* the field of the structure before them that counts them */
	uint8_t size_at, size_size;		/* the field of each that has its size */
};

enum vx_result {
	VX_RESULT_NOTHING,
	VX_RESULT_NUMBER,
	VX_RESULT_GUID,
	VX_RESULT_POINTER,
	VX_RESULT_HANDLE,			/* handle: of vx_raw_handles */
};

/* A call: what it takes and gives. */
struct vx_signature {
	uint16_t call;				/* of vx_calls */
	uint16_t param;				/* first of vx_params */
	uint8_t params;
	uint8_t head;				/* how many of them are read before the call */
	uint8_t result;				/* enum vx_result */
	uint8_t handle;
	uint8_t locks;				/* memory of the process, of which RLIMIT_MEMLOCK says how much there may be */
};

/*
 * An object of rdma-core, as messages name it. The first row is unused; what follows the last are a context and a device,
 * which have their names in them.
 */
struct vx_handle {
	uint16_t desc;				/* of vx_structs */
	vx_name kind;				/* in vx_struct_names: "qp" */
	uint8_t number : 4;			/* 1 + index of the field that tells one from another; 0: none */
	uint8_t context : 4;			/* 1 + index of the field with the context; 0: none */
};

/* An argument, or what it points to, as a field. */
static inline struct vx_field vx_field_of_param(const struct vx_param *param, uint8_t kind, uint16_t size)
{
	return (struct vx_field){
		.name = param->name,
		.size = size,
		.ref = param->ref,
		.kind = kind,
		.form = param->form,
		.flags = param->flags & VX_PARAM_BIG_ENDIAN ? VX_FIELD_BIG_ENDIAN : 0,
	};
}

/* An argument in its 64 bits, as a field, and where that is. Calls take flags in 32, whose last is no sign. */
static inline struct vx_field vx_field_of_argument(const struct vx_param *param, const uint64_t *arg, const unsigned char **at)
{
	const uint16_t size = param->kind == VX_KIND_FLAGS ? sizeof(uint32_t) : sizeof(*arg);

	*at = (const unsigned char *)arg + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(*arg) - size : 0);
	return vx_field_of_param(param, param->kind, size);
}

extern const struct vx_signature vx_signatures[];
extern const uint16_t vx_signature_count;
extern const struct vx_param vx_params[];
extern const struct vx_tail vx_tails[];
extern const struct vx_handle vx_raw_handles[];
extern const uint8_t vx_raw_handle_count;

#endif
