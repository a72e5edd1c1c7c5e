/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_ERROR_H
#define VERBSX_ERROR_H

/**
 * @file
 * What went wrong last, in this thread.
 *
 * Every function of libverbsx that fails returns a negative errno and fills the error record of the
 * calling thread; one that succeeds leaves the record as it was. So does what prints, even where it fails, such as
 * vx_snprint(), vx_object_name() and vx_wc_error(), and what waits for an event and returns -EAGAIN: that none came in
 * time is no error.
 *
 * Of a full queue the words are made when somebody asks: in a record that a program has kept from vx_error() the object has no name, and the
 * reason says no more than that the queue is full, until vx_error() or vx_error_text() is called again.
 */

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The last failure of a thread. Strings live until the next failure in the same thread. Later releases may append fields; a
 * program that knows more of them than the library finds them 0.
 */
struct vx_error_info {
	int code;		/**< negative errno, as returned; 0: nothing has failed yet */
	const char *call;	/**< of rdma-core, where that failed, cannot be reached or has no such device; else it was not
				     made, and this is the function of libverbsx that refused */
	const char *object;	/**< the object by name, such as "rxe0 qp 17"; "" where there is none */
	const char *reason;	/**< a sentence that helps; "" where nothing is known beyond the code */
};

/** The record of the calling thread; never NULL. Where there is no memory for one, it has the code, and the reason says so. */
VX_EXPORT const struct vx_error_info *vx_error(void);

/**
 * The record in one line: "ibv_create_qp on rxe0: Invalid argument: cap.max_send_wr = 100000, ...".
 *
 * Call it behind what may have failed, in a statement of its own: in printf("%d %s", vx_f(), vx_error_text()) C may call it first.
 *
 * @return a string that lives until the next failure in, or the end of, the calling thread; "no error" where
 *         nothing has failed
 */
VX_EXPORT const char *vx_error_text(void);

/** Forget the calling thread's last failure. */
VX_EXPORT void vx_error_clear(void);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_ERROR_H */
