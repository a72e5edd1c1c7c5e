/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MEMLOCK_H
#define VERBSX_SRC_MEMLOCK_H

/* RLIMIT_MEMLOCK: how much of its memory this process may have locked for devices. */

#include <stdint.h>

#define VX_MEMLOCK_NONE UINT64_MAX

/** The limit in bytes; VX_MEMLOCK_NONE where there is none, or kernels do not mind it of this process. */
uint64_t vx_memlock_limit(void);

#endif
