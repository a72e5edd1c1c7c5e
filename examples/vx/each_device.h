/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EACH_DEVICE_H
#define VX_EACH_DEVICE_H

/* Commands that say something of a device, or of all. */

#include <verbsx/calls.h>
#include <verbsx/device.h>

#include "report.h"

/* Says what there is to say of a device, as members of its item. @return an exit status */
typedef int (*device_function)(struct report *r, struct ibv_device *device, const void *data);

/* The list "devices": of the one that is named or, for NULL, of all. @return the worst exit status */
int put_each_device(struct report *r, const char *name, device_function put, const void *data);

/* The error of a device that cannot be asked. @return an exit status */
int put_failure(struct report *r);

/* The error of a device, a port or all that is not there; where no device is, also how to get an emulated one. @return an exit status */
int put_not_there(struct report *r);

#endif
