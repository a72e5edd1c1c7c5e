/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_OUTCOME_H
#define VERBSX_SRC_OUTCOME_H

/* rdma-core says no in many ways; the functions here make one of them: a negative errno, recorded. */

#include <errno.h>

#include <verbsx/export.h>

/* The outcome of a call that returns NULL or -1 and leaves the code in errno. Some do not: clear errno before. */
static inline int vx_code_in_errno(void)
{
	return errno > 0 ? -errno : -EIO;
}

/*
 * The outcome of a call that makes or changes an object and leaves the code in errno. Some providers refuse what they cannot
 * do without one: the device is all right, and EIO would say that it is not.
 */
static inline int vx_code_of_refusal(void)
{
	return errno > 0 ? -errno : -EINVAL;
}

/*
 * The outcome of a call that returns 0 or a positive errno. Some providers return it negated or -1 with errno: clear
 * errno before.
 */
static inline int vx_code_returned(int rc)
{
	if (rc == -1)
		return vx_code_in_errno();
	return rc > 0 ? -rc : rc;
}

/*
 * As vx_fail(), for a call of rdma-core that has failed. Where the call could not be reached at all, that is what is
 * recorded and returned.
 */
int vx_call_fail(int code, const char *call, const char *object, const char *format, ...) VX_PRINTF(4, 5);

#endif
