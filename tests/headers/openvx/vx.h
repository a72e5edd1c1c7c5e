/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_OPENVX_VX_H
#define VERBSX_TESTS_OPENVX_VX_H

/*
 * A stand-in for the headers of OpenVX (Khronos), whose names begin with vx_ and VX_ as ours do: the kinds of names that it has,
 * and those of its names that are closest to what libverbsx is about.
 */

#include <stddef.h>
#include <stdint.h>

#define VX_API_ENTRY
#define VX_API_CALL
#define VX_API_CALLBACK
#define VX_INLINE static inline
#define VX_VERSION_1_3 13
#define VX_VERSION VX_VERSION_1_3
#define VX_MAX_STRING (256)
#define VX_TYPE_MASK (0x000FFF00)
#define VX_ENUM_MASK (0x00000FFF)
#define VX_ENUM_TYPE_MASK (0x000FF000)
#define VX_TYPE(e) (((uint32_t)(e) & VX_TYPE_MASK) >> 8)
#define VX_ENUM_TYPE(e) (((uint32_t)(e) & VX_ENUM_TYPE_MASK) >> 12)
#define VX_ENUM_BASE(vendor, id) (((vendor) << 20) | ((id) << 12))
#define VX_FMT_SIZE "zu"

typedef char vx_char;
typedef uint8_t vx_uint8;
typedef uint32_t vx_uint32;
typedef uint64_t vx_uint64;
typedef int32_t vx_int32;
typedef int64_t vx_int64;
typedef size_t vx_size;
typedef float vx_float32;
typedef uint64_t vx_bitfield;
typedef int32_t vx_enum;
typedef vx_enum vx_status;
typedef vx_enum vx_bool;

typedef struct _vx_reference *vx_reference;
typedef struct _vx_context *vx_context;
typedef struct _vx_graph *vx_graph;
typedef struct _vx_node *vx_node;
typedef struct _vx_kernel *vx_kernel;
typedef struct _vx_parameter *vx_parameter;
typedef struct _vx_image *vx_image;
typedef struct _vx_array *vx_array;
typedef struct _vx_object_array *vx_object_array;
typedef struct _vx_import *vx_import;
typedef struct _vx_target *vx_target;

enum vx_bool_e { vx_false_e = 0, vx_true_e };

enum vx_type_e {
	VX_TYPE_INVALID = 0,
	VX_TYPE_CHAR,
	VX_TYPE_ENUM = 0x00C,
	VX_TYPE_SIZE,
	VX_TYPE_REFERENCE = 0x800,
	VX_TYPE_CONTEXT,
	VX_TYPE_NODE = 0x803,
	VX_TYPE_ERROR = 0x80E,
	VX_TYPE_OBJECT_MAX,
};

enum vx_enum_e {
	VX_ENUM_DIRECTION = 0x00,
	VX_ENUM_ACTION,
	VX_ENUM_HINT,
	VX_ENUM_DIRECTIVE,
	VX_ENUM_PARAMETER_STATE = 0x07,
	VX_ENUM_MEMORY_TYPE = 0x0E,
	VX_ENUM_ACCESSOR = 0x11,
	VX_ENUM_TARGET = 0x13,
	VX_ENUM_GRAPH_STATE = 0x15,
};

enum vx_status_e {
	VX_ERROR_NO_MEMORY = -8,
	VX_ERROR_INVALID_REFERENCE = -12,
	VX_FAILURE = -1,
	VX_SUCCESS = 0,
};

enum vx_action_e { VX_ACTION_CONTINUE = VX_ENUM_BASE(0, VX_ENUM_ACTION), VX_ACTION_ABANDON };

enum vx_accessor_e { VX_READ_ONLY = 1, VX_WRITE_ONLY, VX_READ_AND_WRITE };

typedef struct _vx_perf_t {
	vx_uint64 tmp, beg, end, sum, avg, min, num, max;
} vx_perf_t;

#ifdef __cplusplus
extern "C" {
#endif

vx_context vxCreateContext(void);
vx_status vxReleaseContext(vx_context *context);
vx_status vxGetStatus(vx_reference reference);

#ifdef __cplusplus
}
#endif

#endif
