/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERBSX_OBJECT_H
#define VERBSX_OBJECT_H

/**
 * @file
 * What all handles have in common.
 *
 * A handle stands for an object of rdma-core. It knows its parent and what depends on it. Objects of one context may be
 * made and closed by many threads at once; a handle must not be used once it is being closed.
 */

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a handle stands for. */
enum vx_object_kind {
	VX_OBJECT_CONTEXT = 1,	/**< struct vx_context, of struct ibv_context */
};

/** What every handle begins with. Only to be read. */
struct vx_object {
	void *raw;			/**< the object of rdma-core, to be used with any of its calls */
	enum vx_object_kind kind;
};

/**
 * Close an object: first all that depends on it, newest first, then the object itself.
 *
 * @param object  any handle of libverbsx; NULL is fine
 * @return 0, or a negative errno with vx_error() filled: the object that could not be closed stays valid, and so
 *         does everything that it depends on
 *
 * Thread-safe, except that nobody else may be using what is closed.
 */
VX_EXPORT int vx_close(void *object);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_OBJECT_H */
