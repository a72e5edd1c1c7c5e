/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <stdarg.h>
#include <stdio.h>

#include "error/fail.h"
#include "loader.h"
#include "outcome.h"

#define LONGEST_REASON 512

int vx_call_fail(int code, const char *call, const char *object, const char *format, ...)
{
	char reason[LONGEST_REASON];
	va_list args;
	int rc;

	rc = vx_loader_check(call);
	if (rc < 0)
		return vx_fail(rc, call, object, "%s", vx_error()->reason);
	if (!format)
		return vx_fail(code, call, object, NULL);

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return vx_fail(code, call, object, "%s", reason);
}
