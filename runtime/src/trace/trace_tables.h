/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_TRACE_TABLES_H
#define VERBSX_SRC_TRACE_TABLES_H

/* The tables of generated/src/trace.c: what each parameter of a traced call is. Like those of table.h, without pointers. */

#include <verbsx/trace.h>

#include "text/printer.h"
#include "trace.h"

enum vx_param_flags {
	VX_PARAM_OUT = 1 << 0,			/* read after the call, if that succeeded */
	VX_PARAM_HANDLE = 1 << 1,		/* ref: of vx_raw_handles */
	VX_PARAM_MASKED = 1 << 2,		/* other: the mask beside the structure */
	VX_PARAM_COUNTED = 1 << 3,		/* other: how many elements there are */
	VX_PARAM_RESULT_COUNTS = 1 << 4,	/* the call returns how many */
	VX_PARAM_BIG_ENDIAN = 1 << 5,
	VX_PARAM_TAIL = 1 << 6,			/* other: of vx_tails */
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

struct vx_traced {
	uint16_t call;				/* of vx_calls */
	uint16_t param;				/* first of vx_params */
	uint8_t params;
	uint8_t head;				/* how many of them are read before the call */
	uint8_t result;				/* enum vx_result */
	uint8_t handle;
};

/*
 * An object of rdma-core, as messages name it. The first row is unused; what follows the last are a context and a device,
 * which have their names in them.
 */
struct vx_handle {
	uint16_t desc;				/* of vx_structs */
	vx_name kind;				/* in vx_struct_names */
	uint8_t number : 4;			/* 1 + index of the field that tells one from another; 0: none */
	uint8_t context : 4;			/* 1 + index of the field with the context; 0: none */
};

extern const struct vx_traced vx_traced_calls[];
extern const uint16_t vx_traced_count;
extern const struct vx_param vx_params[];
extern const struct vx_tail vx_tails[];
extern const struct vx_handle vx_raw_handles[];
extern const uint8_t vx_raw_handle_count;
extern _Atomic(uint64_t) vx_trace_counts[];

static inline const struct vx_traced *vx_traced_of(const struct vx_trace *trace)
{
	return &vx_traced_calls[trace->traced];
}

/* trace.c */

void vx_trace_forget_counts(void);

/* trace_sink.c */

/*
 * What is wanted of the call at hand; the environment is read when nobody has done so yet. @p aside, if something is
 * wanted: whether the call only looks for a reason.
 */
unsigned int vx_trace_sinks(bool *aside);

/* Hand a line on; there is room for a newline behind it. */
void vx_trace_deliver(struct vx_trace_call *call, char *line, size_t len);

/* trace_line.c */

/* The line up to the parameters that are read after the call. */
void vx_trace_open_line(struct vx_trace *trace);

/*
 * The rest of the line, without its end.
 *
 * @param error  errno after the call
 * @return 0 or, where the call failed, a negative errno
 */
int vx_trace_close_line(struct vx_trace *trace, int64_t result, int error, uint64_t ns);

/* trace_tail.c */

/* The structures behind the one in @p view, as a field of it. */
void vx_put_tail(struct vx_printer *p, const struct vx_tail *tail, const struct vx_view *view);

/* trace_handle.c */

/* An object of rdma-core, such as "mlx5_0 qp 17". */
void vx_put_raw(struct vx_out *out, uint16_t handle, const void *raw);

#endif
