/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_MLX5_VFIO_H
#define VERBSX_MLX5_VFIO_H

/**
 * @file
 * mlx5 devices that a program has for itself, by VFIO: libmlx5 is their driver, in the program, and the kernel's has let them go.
 */

#include <stdint.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vx_ctx;

/**
 * Open a device that vfio-pci has.
 *
 * @param pci_name  where it is on the bus: "0000:05:00.0"
 * @param flags     of enum mlx5dv_vfio_context_attr_flags
 * @param out       the context: its methods are those of others, and vx_mlx5_ctx_vfio_process_events() is to be called when the descriptor
 *                  of vx_mlx5_ctx_vfio_get_events_fd() says so
 * @return 0; -ENODEV where there is no such device, or vfio-pci does not have it; -EACCES and its like where the program may not have
 *         it; -EOPNOTSUPP for flags that libmlx5 does not know, and with headers of releases before 37
 *
 * Thread-safe. Stands for mlx5dv_get_vfio_device_list(3) and ibv_open_device(3).
 */
VX_EXPORT int vx_mlx5_vfio_open(const char *pci_name, uint32_t flags, struct vx_ctx **out);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_MLX5_VFIO_H */
