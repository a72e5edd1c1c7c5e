/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The files in which libibverbs finds the device. */
#ifndef EMU_SYSFS_H
#define EMU_SYSFS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Set SYSFS_PATH to where they will be, unless it is set to something that is of no process
 * with an emulated device.
 */
void sysfs_start(void);

/* Choose another place in a forked child, unless its parent has made them already. */
void sysfs_fork(void);

/* Make them there, if it was this process that chose the place. */
void sysfs_create(void);

/* Whether there is a directory, and it is this process that has to remove it. */
bool sysfs_is_mine(void);

/* Remove it if it is mine. Safe in a signal handler. */
void sysfs_remove(void);

/* Where in the tree the devices are, each a function of one card; no host has such a domain of PCI. */
#define SYSFS_CARD "e000:01:00"
#define SYSFS_BUS "devices/pcie000:00"

/* Of a path in the tree. */
#define SYSFS_LONGEST 192

/*
 * What is in them: calls @file with each path and its line, and @link with the path of each
 * symbolic link and where it leads, until one returns false.
 */
typedef bool sysfs_put(const char *path, const char *text);
bool sysfs_describe(sysfs_put *file, sysfs_put *link);
bool sysfs_describe_port(uint8_t number, sysfs_put *file);
bool sysfs_describe_counters(sysfs_put *file);

/* Have the files of a port say what it is like now. */
void sysfs_refresh(uint8_t number);

/* Have the counters of all ports say what they are now. */
void sysfs_count(void);

/* The root of the tree, if this process or its parent has chosen one, or NULL. */
const char *sysfs_root(void);

#endif
