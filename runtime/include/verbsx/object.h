/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_OBJECT_H
#define VERBSX_OBJECT_H

/**
 * @file
 * What all handles have in common.
 *
 * A handle stands for an object of rdma-core. It knows its parent and what depends on it. Objects of one context may be
 * made and closed by many threads at once; a handle must not be used once it is being closed. Closing holds a lock of the
 * context, so functions of the program that it calls (vx_trace_function, those of a parent domain) may use other objects,
 * but must not wait for threads that do.
 *
 * Debug builds of libverbsx (VERBSX_CHECKS) look at each handle that they are given. One that was closed, by itself or with
 * what it depended on, or is of another kind, ends the program by abort(3), with the function and the mistake on standard
 * error. They keep the last few thousand handles that were closed, so as to know them again.
 */

#include <stddef.h>
#include <stdint.h>

#include <verbsx/config.h>
#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What every handle begins with. Only to be read. */
struct vx_object {
	void *raw;	/**< the object of rdma-core, to be used with any of its calls */
	void *front;	/**< what the data path goes through */
};

#if VERBSX_CHECKS
/** For VX_CHECK(): end the program where an object is no handle in use, or not of a kind; 0 is any. */
VX_EXPORT void vx_object_check(const void *object, uint32_t kind, const char *function);
#define VX_CHECK(object, kind) vx_object_check(object, kind, __func__)
#else
#define VX_CHECK(object, kind) ((void)0)
#endif

/**
 * Close an object: first all that depends on it, newest first, then the object itself.
 *
 * @param object  any handle of libverbsx; NULL is fine
 * @return 0, or a negative errno with vx_error() filled: it names what could not be closed. That stays valid, and so
 *         does everything that it depends on; a second try may follow. What else depended on the object may have been
 *         closed by then
 *
 * Thread-safe, except that nobody else may be using what is closed.
 */
VX_EXPORT int vx_close(void *object);

/**
 * Give the object of rdma-core back to the caller and forget the handle.
 *
 * @param object  any handle of libverbsx
 * @return the object, which is now the caller's to destroy, or NULL with vx_error() filled: -EBUSY naming what still
 *         depends on it, -EINVAL for NULL
 *
 * Thread-safe, as vx_close().
 */
VX_EXPORT void *vx_give_back(void *object);

/**
 * Leave the object of rdma-core to its owner: vx_close() will close what depends on it, and then only forget the handle.
 *
 * @param object  any handle of libverbsx; vx_KIND_borrow() does it to one that it makes; NULL is fine
 *
 * Thread-safe; never fails.
 */
VX_EXPORT void vx_disown(void *object);

/** What an object is, of enum vx_object_kind; an opened QP and a parent domain have kinds of their own. Thread-safe. */
VX_EXPORT uint32_t vx_object_kind_of(const void *object);

/**
 * The name of an object as messages have it, such as "mlx5_0 qp 17".
 *
 * The number is that of the QP or WQ, the descriptor of a completion channel, and else the handle that the kernel has for
 * it; kinds without any have their name alone, and a membership the GID of its group.
 *
 * @return the length of the whole name, as snprintf(3)
 *
 * Thread-safe.
 */
VX_EXPORT size_t vx_object_name(char *buf, size_t len, const void *object);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_OBJECT_H */
