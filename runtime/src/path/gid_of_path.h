/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_GID_OF_PATH_H
#define VERBSX_SRC_GID_OF_PATH_H

#include <verbsx/path.h>

/**
 * The GID that a path begins at: its sgid, of its gid_type where that is given; or else what vx_ctx_choose_gid() gives for its dgid.
 *
 * @param path  with a context
 * @param call  the function of libverbsx that wants it
 * @return 0, or a negative errno with vx_error() filled: -EADDRNOTAVAIL where the port has none such
 */
int vx_path_own_gid(const struct vx_path *path, const char *call, struct ibv_gid_entry *out);

/**
 * The address of a path's packets, as ibv_create_ah(3) takes it (path_ah.c).
 *
 * @param path  with a context; what is 0 in it and is not meant is chosen
 */
int vx_path_to_ah(const struct vx_path *path, const char *call, struct vx_ah_init *out);

#endif
