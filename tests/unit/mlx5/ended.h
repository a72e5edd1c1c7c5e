/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_MLX5_ENDED_H
#define VERBSX_TESTS_UNIT_MLX5_ENDED_H

/* Objects of a libmlx5 that is played: addresses that stand for nothing, and which of them have been ended, in turn. */

#include "unit/record.h"

static char raws[16], ended[32];
static int ended_of;

#define RAW(n) ((void *)&raws[n])

static inline void end(const void *raw)
{
	ended[ended_of++] = (char)((const char *)raw - raws);
}

#endif
