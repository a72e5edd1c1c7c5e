/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FAIL_H
#define VERBSX_SRC_FAIL_H

/* How the runtime reports a failure: fill the thread's record, hand the code on. */

#include <stddef.h>

#include <verbsx/error.h>

/**
 * Record a failure and return its code.
 *
 * @param code    negative errno
 * @param call    a static string: the call that failed
 * @param object  copied; may be NULL
 * @param format  the reason, as for printf(3); may be NULL
 * @return @p code
 */
int vx_fail(int code, const char *call, const char *object, const char *format, ...) VX_PRINTF(4, 5);

/** Refuse, with -EINVAL, what must not be NULL: "the parent", "attr". */
int vx_null_fail(const char *call, const char *what);

/**
 * Keep the record as it is until vx_error_tried(): what fails in between may be tried again with success. Only where it
 * all ends with a failure is that the last one.
 */
void vx_error_try(void);
void vx_error_tried(int rc);

/** What an errno, negative or not, means: "Cannot allocate memory"; in the buffer, which is returned. */
const char *vx_code_text(int code, char *buf, size_t len);

#endif
