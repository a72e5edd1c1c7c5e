/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GID_H
#define VERBSX_SRC_GID_H

/* The end of a path that is on this side. */

#include <stdbool.h>
#include <string.h>

#include <verbsx/path.h>

static inline bool vx_gid_is_zero(const union ibv_gid *gid)
{
	static const union ibv_gid none;

	return !memcmp(gid, &none, sizeof(none));
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
