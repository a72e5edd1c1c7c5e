/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_CALLS_H
#define VERBSX_SRC_CALLS_H

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
	uint8_t library;		/* of vx_libraries; 0: none */
	uint8_t since;			/* release of rdma-core */
	uint8_t kind;			/* enum vx_call_kind */
	uint8_t error;			/* enum vx_call_error */
	uint8_t page;			/* whether a man page has its name */
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

#endif
