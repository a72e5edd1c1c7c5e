/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_OPEN_ERROR_H
#define VERBSX_SRC_OPEN_ERROR_H

/*
 * Why a device could not be found or opened. Each of these looks at the machine after the failure, records what it
 * found, and returns the code that the caller is to return.
 */

#include <verbsx/device.h>

/* ibv_get_device_list() gave NULL. */
int vx_list_fail(int code);

/* There is no device of this name; or, with name NULL, none at this index. */
int vx_no_such_device(const struct vx_device_list *list, const char *name, size_t index);

/* ibv_open_device() gave NULL. */
int vx_open_fail(int code, const struct ibv_device *device);

#endif
