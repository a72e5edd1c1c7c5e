/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_DEVICE_H
#define VERBSX_DEVICE_H

/**
 * @file
 * Which RDMA devices there are.
 *
 * All functions are thread-safe.
 */

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The devices at one moment. Each has its name in devices[i]->name, and lives as long as the list. Later releases may append
 * fields; a program that knows more of them than the library finds them 0.
 */
struct vx_device_list {
	size_t count;
	struct ibv_device **devices;
};

/**
 * List the devices of this machine.
 *
 * @param out  set on success, also when there are no devices; to be freed by vx_device_list_free()
 * @return 0, or a negative errno with vx_error() filled: -ENOSYS where the kernel modules or rdma-core are missing
 *
 * Stands for ibv_get_device_list(3).
 */
VX_EXPORT int vx_device_list_get(struct vx_device_list **out);

/** Free a list; contexts opened from it stay open. NULL is fine. */
VX_EXPORT void vx_device_list_free(struct vx_device_list *list);

/**
 * The GUID of a device's node.
 *
 * @param guid  in the byte order of the network, as all GUIDs of rdma-core
 * @return 0, or a negative errno with vx_error() filled: -ENODATA where the device has none
 *
 * Stands for ibv_get_device_guid(3).
 */
VX_EXPORT int vx_device_guid(const struct ibv_device *device, __be64 *guid);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_DEVICE_H */
