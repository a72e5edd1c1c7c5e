/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MLX5_VAR_H
#define VERBSX_MLX5_VAR_H

/**
 * @file
 * The memory of a VAR of an mlx5 device: a page with the doorbells of virtio queues that the device emulates. The commands of DEVX that make such
 * queues take its page_id, and whoever drives one, such as a guest, rings there.
 */

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vx_mlx5_var;

/**
 * Map a VAR into the program, for reading and writing.
 *
 * It has the length that vx_mlx5_var_raw() tells, and is unmapped when the VAR is closed, also where vx_mlx5_var_borrow() or
 * vx_mlx5_var_import() gave the handle. Until then munmap(2) must not be called for it, and vx_give_back() fails with -EBUSY.
 *
 * @param out  the address; the same again of a VAR that is mapped
 * @return 0, or a negative errno of mmap(2) with vx_error() filled; -EOPNOTSUPP on a device of another vendor
 *
 * Thread-safe, but two threads that map at once may get an address each. Stands for mmap(2) of mmap_off in the file of the device.
 */
VX_EXPORT int vx_mlx5_var_map(struct vx_mlx5_var *mlx5_var, void **out);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MLX5_VAR_H */
