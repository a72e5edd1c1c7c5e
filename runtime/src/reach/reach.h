/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REACH_H
#define VERBSX_SRC_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include <verbsx/device.h>

/* ---- releases and providers (release.c) ---- */

/*
 * The release of rdma-core that a loaded library is from, told by the name of its file: libibverbs.so.1.14.44.0
 * is of 44. Returns 0 where the name does not tell.
 */
unsigned int vx_library_release(void *handle);

/* The same of a file's name. */
unsigned int vx_file_release(const char *path);

/* Whether a function, of the table of a context, lies in a library such as "libmlx5": for what only one provider does. */
bool vx_function_is_of(uintptr_t function, const char *library);

/* Whether the provider of a context is a library: every provider has this function of its own. Not where there is no context. */
bool vx_context_is_of(const struct ibv_context *context, const char *library);

/* ---- devices (device.c) ---- */

/* Where libibverbs looks for devices: SYSFS_PATH, or /sys. */
const char *vx_sysfs(void);

/* The first line of a file that the kernel has, by open(2) alone, which is what simulators stand in for; false: it is not there, or empty. */
bool vx_first_line(const char *path, char *line, size_t size);

/*
 * Why a device could not be found or opened. Each of these looks at the machine after the failure, records what it
 * found, and returns the code that the caller is to return.
 */

/* A folder of the kernel's classes could not be read. @param code  for where it can be by now */
int vx_class_fail(int code, const char *call, const char *class);

/* There is no device of this name; or, with name NULL, none at this index. */
int vx_no_such_device(const struct vx_device_list *list, const char *name, size_t index);

/* The call, such as ibv_open_device(), gave NULL. @param name  by which the device is known if that is not its own */
typedef int vx_open_failed(int code, const char *call, const struct ibv_device *device, const char *name);
vx_open_failed vx_open_fail;

/* What opening a device's node once more tells; 0: it can be opened. @param whose  behind what its permissions are */
int vx_file_fail(const char *call, const char *device, const char *node, const char *whose);

#endif
