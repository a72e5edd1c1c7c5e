/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_TRACE_LAST_LINE_H
#define VERBSX_TESTS_TRACE_LAST_LINE_H

/* The line of the trace about the latest call of one function. */

#include "unit/device.h"

struct last_line {
	const char *call;
	char text[8192];
};

static inline void keep_line(const struct vx_trace_call *call, void *data)
{
	struct last_line *last = data;

	if (!strcmp(call->call, last->call))
		snprintf(last->text, sizeof(last->text), "%s", call->line);
}

static inline void expect_line_part(const struct last_line *last, const char *part)
{
	cr_expect_not_null(strstr(last->text, part), "no %s in %s", part, last->text);
}

#endif
