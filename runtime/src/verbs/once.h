/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_ONCE_H
#define VERBSX_SRC_ONCE_H

/*
 * Objects that rdma-core has once, however often they are made, as kernels do not count how often a QP joins a group: the first
 * handle to end it would end it for all that are alike, of the same parent and with the same in what they keep. So the last of them
 * ends it, and none while another one is being made. What such handles keep begins with a struct vx_kept_once.
 */

#include <stdbool.h>
#include <stddef.h>

struct vx_node;

/* Before a handle's object is made, under the lock: what it keeps, of so many bytes, is known. Waits for those alike that end. */
void vx_once_begin(const struct vx_node *node, size_t kept);

/* Whether the object is to be ended with this handle. Waits for those alike that are being made. */
bool vx_once_ends(struct vx_node *node, size_t kept);

/* vx_destroy_fail() of one that was to be ended with this handle. */
int vx_once_fail(int code, const char *call, struct vx_node *node);

#endif
