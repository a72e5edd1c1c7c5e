/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_CALL_H
#define VERBSX_CALL_H

/**
 * @file
 * The functions of rdma-core as data: where each lives, since when, and how it says no.
 *
 * All functions here are thread-safe, and none needs a library or a header of rdma-core.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What stands behind the name of a call. */
enum vx_call_kind {
	VX_CALL_EXTERN,		/**< a function that a library exports */
	VX_CALL_INLINE,		/**< a static inline function of a header */
	VX_CALL_PRIVATE,	/**< declared in a header but exported to rdma-core itself alone; not to be called */
	VX_CALL_MACRO,		/**< a function that newer headers replace by a macro */
};

/** How a call tells that it failed. */
enum vx_call_error {
	VX_CALL_ERROR_NONE,	/**< it cannot fail, or cannot say so */
	VX_CALL_ERROR_NULL,	/**< returns NULL; the code is in errno */
	VX_CALL_ERROR_MINUS_ONE, /**< returns a negative number, mostly -1; the code is in errno */
	VX_CALL_ERROR_ERRNO,	/**< returns the code, a positive errno */
	VX_CALL_ERROR_NEGATIVE,	/**< returns the code negated */
	VX_CALL_ERROR_COUNT,	/**< returns a negative number that is no code, where else it counts */
	VX_CALL_ERROR_TEXT,	/**< returns a text whatever happens */
	VX_CALL_ERROR_OWN,	/**< returns a negative number that has a meaning of its own, as the note says */
};

/** One function of rdma-core, as vx_call_at() and vx_call_find() fill it. */
struct vx_call_info {
	const char *name;
	const char *library;	/**< soname of the library that exports it; "" where none does */
	const char *version;	/**< version of its symbol, such as "IBVERBS_1.1"; "" where none exports it */
	unsigned int since;	/**< release of rdma-core that first had it; the oldest known if older */
	enum vx_call_kind kind;
	enum vx_call_error error;
	bool page;		/**< rdma-core has a man page of this name, in section 3; else see vx_man_page() */
	uint8_t reserved_[3];	/* 0 */
	const char *note;	/**< what else there is to its result: "counts", "errno may be stale"; "" where nothing is */
};

VX_EXPORT bool vx_call_at_sized(size_t index, struct vx_call_info *out, size_t size);

/**
 * The functions in the order of their names.
 *
 * @param index  from 0
 * @param out    filled when there is a function at @p index
 * @return whether there is one
 */
static inline bool vx_call_at(size_t index, struct vx_call_info *out)
{
	return vx_call_at_sized(index, out, sizeof(*out));
}

VX_EXPORT bool vx_call_find_sized(const char *name, struct vx_call_info *out, size_t size);

/**
 * Find a function by its name.
 *
 * @param name  such as "ibv_create_qp"
 * @param out   filled when there is such a function
 * @return whether there is one
 */
static inline bool vx_call_find(const char *name, struct vx_call_info *out)
{
	return vx_call_find_sized(name, out, sizeof(*out));
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_CALL_H */
