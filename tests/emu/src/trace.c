/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>

bool trace_on;
unsigned int complaints;

/* In one piece, so that lines of two processes do not mix */
static void write_line(const char *format, va_list ap)
{
	char line[1024];

	vsnprintf(line, sizeof(line), format, ap);
	fprintf(stderr, "verbsx-emu: %s\n", line);
}

void say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	write_line(format, ap);
	va_end(ap);
}

void complain(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	write_line(format, ap);
	va_end(ap);
	complaints++;
}
