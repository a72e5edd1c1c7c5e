/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The files in which libibverbs finds the device. */
#ifndef EMU_SYSFS_H
#define EMU_SYSFS_H

#include <stdbool.h>

/* Make them in a directory of their own, and set SYSFS_PATH, unless that is set. */
void sysfs_create(void);

/* Whether there is a directory, and it is this process that has to remove it. */
bool sysfs_is_mine(void);

/* Remove it if it is mine. Safe in a signal handler. */
void sysfs_remove(void);

#endif
