/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>

bool trace_on;

void complain(const char *format, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	/* In one piece, so that lines of two processes do not mix */
	fprintf(stderr, "verbsx-emu: %s\n", line);
}
