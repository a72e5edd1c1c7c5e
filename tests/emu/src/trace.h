/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The log on stderr. */
#ifndef EMU_TRACE_H
#define EMU_TRACE_H

#include <stdbool.h>

extern bool trace_on;

/* A line on stderr, whether tracing or not. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Likewise, of what is amiss, and count it. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

extern unsigned int complaints;

#define TRACE(...)                             \
	do {                                   \
		if (trace_on)                  \
			say(__VA_ARGS__);      \
	} while (0)

#endif
