/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_DM_H
#define VERBSX_DM_H

/**
 * @file
 * Reading device memory. vx_dm_memcpy_to() of verbsx/calls.h writes it, vx_mr_create() with the field dm registers it.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy from device memory.
 *
 * @param dm_offset  from the start of the device memory, in bytes
 * @return 0, or a negative errno with vx_error() filled
 *
 * Thread-safe. Stands for ibv_memcpy_from_dm(3).
 */
VX_EXPORT int vx_dm_memcpy_from(struct vx_dm *dm, void *host_addr, uint64_t dm_offset, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_DM_H */
