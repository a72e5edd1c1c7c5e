/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Paths of the device under /sys, which are in our tree. */
#ifndef EMU_REDIRECT_H
#define EMU_REDIRECT_H

#include <limits.h>

/* Where a path leads: to @to if it is one of the device, else to itself. NULL stays NULL. */
const char *sysfs_redirect(const char *path, char to[PATH_MAX]);

#endif
