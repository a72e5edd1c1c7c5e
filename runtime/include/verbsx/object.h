/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_OBJECT_H
#define VERBSX_OBJECT_H

/**
 * @file
 * What all handles have in common.
 *
 * A handle stands for an object of rdma-core. It knows its parent and what depends on it. Objects may be made and closed by
 * many threads at once; a handle must not be used once it is being closed. No lock is held while rdma-core or a function of
 * the program (vx_trace_function, those of a parent domain) is called, so a slow call delays nobody else, and such functions
 * may make, use and close other objects; what is just being made or closed, and what that depends on, they cannot close
 * (-EBUSY). Two threads that close objects with a common user take turns at that user. A thread that is cancelled in
 * the midst of making or closing goes through with it, and ends at its next cancellation point; so it does in what reads
 * files, as P_Keys are, and when an event is taken. Where it waits it is cancelled, and nothing is lost by it. Functions of
 * rdma-core that a program calls itself, on raw objects, may leave descriptors, memory and locks behind.
 *
 * A function of the program returns to who has called it: no exception of C++ and no longjmp(3) may leave it, as libverbsx is C,
 * and what is being called would stay in use for ever (-EBUSY, -EDEADLK).
 *
 * A child of fork(2) may print, name and ask for errors, whatever other threads were doing. It is not to close what another thread
 * was just making or closing, which goes on in the parent only; what else of an object works in a child, rdma-core and the
 * kernel decide: ibv_fork_init(3).
 *
 * A raw object has one handle. Who adopts or borrows what has one gets that, and each has to close it: all but the last
 * vx_close() only count, and leave open what depends on it. The last destroys the raw object if any of them owned it:
 * made it, or adopted it; where all borrowed it, it stays. Closing what an object depends on closes it however often it was
 * given. A borrowed handle is to be closed before its owner destroys the raw object: another may get its address.
 *
 * Functions of libverbsx refuse, with -EINVAL, NULL for a handle, and a handle that was closed or is of another kind, where
 * that can be seen: the memory of a closed one may have been used again. An object of rdma-core in the place of a handle is
 * told by its handle, if it has one, or by the functions that make one. Compilers refuse what is no handle and no void * where
 * any handle is taken: verbsx/any_handle.h, which verbsx/verbsx.h includes. Debug builds (VERBSX_CHECKS) look at each
 * handle that they are given, also inline. One that was closed, by itself or with what it depended on, or is of another
 * kind, ends the program by abort(3), with the function and the mistake on standard error. They keep the last few thousand
 * handles that were closed, so as to know them again.
 */

#include <stddef.h>
#include <stdint.h>

#include <verbsx/config.h>
#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What of struct vx_ah_init counts although it is 0. */
enum vx_ah_init_mask {
	VX_AH_INIT_HOP_LIMIT = 1 << 0,	/**< grh.hop_limit: nothing leaves the subnet, as with 1 */
};

/** What every handle begins with. Only to be read. */
struct vx_object {
	void *raw;	/**< the object of rdma-core, to be used with any of its calls */
	void *front;	/**< what the data path goes through */
};

/** For VX_CHECK(): end the program where an object is no handle in use, or not of a kind; 0 is any. */
VX_EXPORT void vx_object_check(const void *object, uint32_t kind, const char *function);

#if VERBSX_CHECKS
#define VX_CHECK(object, kind) vx_object_check(object, kind, __func__)
#else
#define VX_CHECK(object, kind) ((void)0)
#endif

/**
 * Close an object: first all that depends on it, memory windows, then the newest first, then the object itself.
 *
 * @param object  any handle of libverbsx; NULL is fine
 * @return 0, or a negative errno with vx_error() filled: it names what could not be closed. That stays valid, and so
 *         does everything that it depends on; a second try may follow. What else depended on the object may have been
 *         closed by then. -EBUSY has three cases: another thread is closing the object. This thread is making or closing
 *         something of it: then nothing was closed. A function of the program was called to use it and has not returned:
 *         then nothing was closed, unless another thread has called that function in the midst of closing. What is left
 *         is as usable as before, and the next try goes on. -EINVAL: it is no handle, or a
 *         checked QP and this thread between vx_wr_start() and vx_wr_complete() of it; closing what such a QP depends on
 *         ends the list, and nothing of it is posted. -EDEADLK: this would wait for ever, as the reason says
 *
 * Thread-safe, except that nobody else may be using what is closed. Of a handle that was given more than once, this
 * closes nothing but one of these times.
 */
VX_EXPORT int vx_close(void *object);

/**
 * Give the object of rdma-core back to the caller and forget the handle.
 *
 * @param object  any handle of libverbsx
 * @return the object, which is now the caller's to destroy, or NULL with vx_error() filled: -EBUSY naming what still
 *         depends on it, or where others have the handle as well; -EINVAL for NULL, and of a checked QP as with
 *         vx_close(). Of a membership it is the QP, which is still in the group: ibv_detach_mcast(3) ends that
 *
 * Thread-safe, as vx_close().
 */
VX_EXPORT void *vx_give_back(void *object);

/** What an object is, of enum vx_object_kind; an opened QP and a parent domain have kinds of their own. Thread-safe. */
VX_EXPORT uint32_t vx_object_kind_of(const void *object);

/**
 * The name of an object as messages have it, such as "mlx5_0 qp 17".
 *
 * The number is that of the QP or WQ, the descriptor of a completion channel, and else the handle that the kernel has for
 * it. Of kinds without any it counts those that were made, "mlx5_0 ah #3"; a membership has the GID of its group. What may
 * share the kernel's handle with others is counted beside it, "mlx5_0 opened_qp 17#2": opened QPs, parent domains, what a
 * vendor's own function made, "mlx5_0 mlx5_qp 263#1", what was imported, and PDs, MRs and device memory that were adopted or
 * borrowed, as they may have been imported, or be a parent domain, which has the kind and the name of a PD then. A context of
 * a device that has one already is "mlx5_0#2", the next "mlx5_0#3", and stays that when the first is closed.
 *
 * @param buf  at least @p len bytes; may be NULL when @p len is 0
 * @return the length of the whole name, as snprintf(3); 0, and an empty text, for what is no handle
 *
 * Thread-safe.
 */
VX_EXPORT size_t vx_object_name(char *buf, size_t len, const void *object);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_OBJECT_H */
