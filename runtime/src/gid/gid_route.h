/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GID_ROUTE_H
#define VERBSX_SRC_GID_ROUTE_H

/* What the kernel says of the addresses behind the GIDs of RoCE. Nothing is sent. */

#include "gid_choice.h"

/* More than the network devices of a port: its own, and those above it with VLANs or addresses of their own. */
#define VX_MOST_ROUTES 16

/*
 * From where the kernel would send to a peer: by any network device and, where that is no GID of the table, by each that the table
 * names. So of several network devices in one subnet, for which the kernel takes the first, each has its own GID.
 *
 * @return how many answers there are
 */
size_t vx_gid_ask_routes(const struct vx_gid_table *table, struct vx_gid_route routes[VX_MOST_ROUTES]);

/* Whether an entry's address is none of this network namespace; of fe80::/10 that cannot be told. */
bool vx_gid_is_foreign(const struct ibv_gid_entry *entry);

#endif
