/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "report.h"

static _Noreturn void out_of_memory(void)
{
	fprintf(stderr, "%s: out of memory\n", program());
	exit(ABSENT);
}

void *need_memory(void *memory, size_t size)
{
	void *grown = realloc(memory, size ? size : 1);

	if (!grown)
		out_of_memory();
	return grown;
}

char *need_text(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		out_of_memory();
	return text;
}
