/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_AUTO_H
#define VERBSX_AUTO_H

/**
 * @file
 * Handles that close themselves: VX_AUTO on a variable, VX_TAKE() to get its handle out.
 *
 *   int make(struct vx_ctx *ctx, struct vx_qp **out)
 *   {
 *           VX_AUTO struct vx_cq *cq = NULL;
 *           VX_AUTO struct vx_qp *qp = NULL;
 *           ...
 *           if (rc < 0)
 *                   return rc;              // closes qp, then cq
 *           VX_TAKE(cq);
 *           *out = VX_TAKE(qp);             // closes nothing
 *           return 0;
 *   }
 *
 * In C++ std::unique_ptr<vx_qp, vx_closer> is another way: verbsx/any_handle.h.
 */

#include <string.h>

#include <verbsx/object.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For VX_AUTO: close what the variable at this place has. */
static inline void vx_auto_close(void *variable)
{
	void *object;

	/* Not by *(void **): the variable is a pointer of another type. */
	memcpy(&object, variable, sizeof(object));
	(void)vx_close(object);
}

/** For VX_TAKE(): what the variable at this place has, which it loses. */
static inline void *vx_auto_take(void *variable)
{
	void *object;

	memcpy(&object, variable, sizeof(object));
	memset(variable, 0, sizeof(object));
	return object;
}

/**
 * Before the declaration of a local variable for any handle: vx_close() of what it has when its scope ends, however that
 * is left; of several variables the last declared is closed first. Initialize it, to NULL at least.
 *
 * As closing takes along what depends on an object, declare a parent before its children, so that it is closed after them;
 * and what is closed earlier by hand is taken out first: vx_close(VX_TAKE(mr)). A parent that is closed by hand takes its
 * children along, and their variables are left with handles of freed memory, which another object may get: let the parent
 * be VX_AUTO as well, or take out the children first. Nobody sees the result of closing at the end
 * of a scope: vx_error() is filled if it failed, and the object stays until its context is closed. For gcc and clang, in
 * C and in C++, where it also closes as an exception passes.
 */
#define VX_AUTO __attribute__((__cleanup__(vx_auto_close)))

/**
 * The handle that a variable has, out of it: the variable is NULL from here on, and its VX_AUTO closes nothing.
 *
 * @param variable  evaluated once; of any pointer type, which is the type of the result
 */
#define VX_TAKE(variable) ((__typeof__(variable))vx_auto_take(&(variable)))

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_AUTO_H */
