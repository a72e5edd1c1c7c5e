/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GID_H
#define VERBSX_SRC_GID_H

/* The end of a path that is on this side. */

#include <stdbool.h>
#include <string.h>

#include <verbsx/path.h>

#include "text/out.h"

static inline bool vx_gid_is_zero(const union ibv_gid *gid)
{
	return !vx_is_set(gid, sizeof(*gid));
}

/* LIDs are what ports of InfiniBand have, and those of old drivers that do not say so; RoCE, iWARP and EFA, which is none of these, go by GIDs. */
static inline bool vx_port_has_lids(const struct ibv_port_attr *port)
{
	return port->link_layer == IBV_LINK_LAYER_INFINIBAND || (port->link_layer == IBV_LINK_LAYER_UNSPECIFIED && port->lid);
}

/* Whether each packet has GIDs, also one that stays in its subnet: virtual functions that share a LID are told apart by nothing else. */
static inline bool vx_port_needs_gids(const struct ibv_port_attr *port)
{
	return !vx_port_has_lids(port) || port->flags & IBV_QPF_GRH_REQUIRED;
}

/* The port that a path begins at. */
static inline uint8_t vx_path_port(const struct vx_path *path)
{
	return path->port_num ? path->port_num : 1;
}

/**
 * The GID that a path begins at: path->sgid, of path->gid_type where that is given; or else what vx_ctx_choose_gid() gives for
 * path->dgid.
 *
 * @param call  the function of libverbsx that wants it
 * @return 0, or a negative errno with vx_error() filled: -EADDRNOTAVAIL where the port has none such
 */
int vx_path_choose_gid(const struct vx_path *path, const char *call, struct ibv_gid_entry *out);

#endif
