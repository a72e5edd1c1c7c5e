/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef BENCH_MUST_H
#define BENCH_MUST_H

/* Of programs that use libverbsx: what is measured has to have been done. */

#include <stdio.h>
#include <stdlib.h>

#include <verbsx/error.h>

static inline void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, vx_error_text());
	exit(1);
}

#endif
