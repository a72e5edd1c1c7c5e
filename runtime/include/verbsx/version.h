/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_VERSION_H
#define VERBSX_VERSION_H

/**
 * @file
 * Which libverbsx this is, and which rdma-core it was built for and runs on.
 *
 * Releases of rdma-core are plain numbers such as 44. All functions are thread-safe.
 */

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How libverbsx reaches rdma-core.
 *
 * In loader mode the environment may name another file for each library, unless the program is set-user-id:
 * VERBSX_IBVERBS_LIB for libibverbs.so.1, VERBSX_RDMACM_LIB for librdmacm.so.1, VERBSX_MLX5_LIB for libmlx5.so.1, and
 * so on. What cannot be reached fails with -ENOSYS where the library is missing, with -EOPNOTSUPP where it is too old.
 */
enum vx_link_kind {
	VX_LINK_LOADER,		/**< opens its libraries when they are first needed */
	VX_LINK_DIRECT,		/**< is linked with them */
};

/** The version of libverbsx that runs, such as "0.1.0". */
VX_EXPORT const char *vx_version(void);

/** The release of rdma-core whose headers libverbsx was built with. */
VX_EXPORT unsigned int vx_release_built(void);

/**
 * The release of the libibverbs that runs, as its file name tells.
 *
 * @return 0 where there is no libibverbs, or its file name does not tell
 */
VX_EXPORT unsigned int vx_release_running(void);

/**
 * As vx_release_running(), of any library of rdma-core.
 *
 * @param library  its soname, such as "libmlx5.so.1"
 * @return 0 also where libverbsx does not use that library
 */
VX_EXPORT unsigned int vx_release_of(const char *library);

/** How this libverbsx reaches rdma-core. */
VX_EXPORT enum vx_link_kind vx_link_mode(void);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_VERSION_H */
