/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_PRINT_H
#define VERBSX_PRINT_H

/**
 * @file
 * Any structure of rdma-core as text, as one line, or as JSON.
 *
 * vx_print(stdout, &attr), of verbsx/structs.h, finds the type of its argument by itself; the functions here
 * take it as VX_STRUCT(ibv_port_attr). All are thread-safe and none allocates memory.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The description of one structure. Opaque: its layout may change between releases. */
struct vx_struct;

/**
 * A structure type as the caller's headers have it. The size lets a library that was built against
 * newer headers read no further than the caller's structure goes, and the other way round.
 */
struct vx_type {
	const struct vx_struct *desc;	/**< NULL: a type that this libverbsx does not know; prints as "?" */
	size_t size;			/**< sizeof the structure where it was compiled, in bytes */
};

/**
 * How to print; one of the first three, and any of the flags. What this library does not know of a newer program's is left
 * out: a fourth prints as VX_TEXT, and other bits change nothing, as what is for a log is to be there.
 */
enum vx_style {
	VX_TEXT = 0,		/**< a line a field, "name : value", nested blocks indented */
	VX_COMPACT = 1,		/**< all in one line, without a newline at the end, for logs */

	/**
	 * An object, keys as in C, without a newline at the end. A field has one type, whatever its value: numbers of 64
	 * bits, on any machine, are strings of decimal digits; enumerators {"value", "name"}, flags {"value", "names",
	 * "unknown"} and encoded numbers {"value", "text"}; GIDs, GUIDs and the like are strings. A pointer is null or
	 * {"address"}, that to an object {"address", "name"}, and one that was followed {"address", "to"}, with "cut" where
	 * there is more. print.schema.json, beside the guide, has the type of each field.
	 */
	VX_JSON = 2,
	VX_STYLE_MASK = 0xf,

	/**
	 * Follow the pointers that are valid by the structure's own masks and lead to something known, never past
	 * their count; a linked list becomes an array. Rings end, as do more than some thousand elements: "...". Of a
	 * structure that ends with an array and counts it, that is read as well.
	 */
	VX_FOLLOW = 1 << 4,
	VX_ALL = 1 << 5,	/**< also fields that are not valid by the structure's own masks */
	VX_INDENT = 1 << 8,	/**< times n: VX_TEXT starts n levels deep (n < 128) */
};

/** Fields that a mask beside the structure selects, such as the attr_mask of ibv_modify_qp(3): all of them. */
#define VX_MASK_ALL UINT64_MAX

/**
 * Find the description of a structure or union.
 *
 * @param tag  such as "ibv_port_attr"
 * @return the description, or NULL where there is none of that tag
 */
VX_EXPORT const struct vx_struct *vx_struct_find(const char *tag);

/**
 * Find the description of a structure of libibverbs or librdmacm by its number in the ABI; VX_STRUCT() of verbsx/structs.h knows the
 * numbers.
 *
 * @return the description, or NULL where this libverbsx is older than the structure: it prints as "?"
 */
VX_EXPORT VX_CONST const struct vx_struct *vx_struct_by_id(uint32_t id);

/**
 * As vx_struct_by_id(), of any structure, also those of vendors and of libverbsx itself: a static program is linked with what is
 * known of these only if it has this or another function that reaches them.
 */
VX_EXPORT VX_CONST const struct vx_struct *vx_struct_by_any_id(uint32_t id);

/**
 * Print a structure into a buffer.
 *
 * @param buf    at least @p len bytes; may be NULL when @p len is 0
 * @param type   VX_STRUCT(ibv_port_attr)
 * @param ptr    the structure; NULL prints "NULL" ("null" in JSON), in VX_TEXT with a newline as any line
 * @param style  of enum vx_style; a structure that stands for one value, such as union ibv_gid, prints as that value
 * @return the length that the whole text has without its NUL, as snprintf(3) does; when that is
 *         @p len or more, the text in @p buf is cut and still ends in NUL
 */
VX_EXPORT size_t vx_snprint(char *buf, size_t len, struct vx_type type, const void *ptr, int style);

/**
 * As vx_snprint(), printing only what @p mask selects of a structure whose mask stands beside it (struct ibv_qp_attr). Of
 * struct ibv_wc and ibv_send_wr that is what types the QP may be of, which they do not tell: 1 << IBV_QPT_RC.
 */
VX_EXPORT size_t vx_snprint_mask(char *buf, size_t len, struct vx_type type, const void *ptr, uint64_t mask,
				 int style);

/**
 * Print a structure to a stream.
 *
 * @return 0, or a negative errno: -EINVAL where @p stream is NULL, or what writing to it has failed with. vx_error() stays
 *         as it was, so that a program can print what failed before it prints why
 */
VX_EXPORT int vx_fprint(FILE *stream, struct vx_type type, const void *ptr, int style);

/** As vx_fprint(), with the mask of vx_snprint_mask(). */
VX_EXPORT int vx_fprint_mask(FILE *stream, struct vx_type type, const void *ptr, uint64_t mask, int style);

/** A type by its description and the size that the caller's headers give it; what VX_STRUCT() expands to. */
static inline struct vx_type vx_type_of(const struct vx_struct *desc, size_t size)
{
	struct vx_type type;

	type.desc = desc;
	type.size = size;
	return type;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_PRINT_H */
