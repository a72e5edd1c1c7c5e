/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_ASKED_H
#define VERBSX_SRC_ASKED_H

/*
 * What a device was asked for last. Tables of GIDs and P_Keys are read entry by entry, with a call into the kernel or a file each: who
 * brings many QPs to one peer asks once.
 */

#include "path.h"

/* All of one port. Zeros: nothing was asked for yet. */
struct vx_asked {
	const struct vx_ctx *ctx;
	uint8_t port_num;
	bool has_device, has_port, has_gid, has_pkey;
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	struct vx_path gid_of;		/* what it was chosen for; all else is 0 */
	struct ibv_gid_entry gid;
	uint16_t pkey;
	uint16_t pkey_index;
};

/* Each makes sure that it is there, of the port that a path begins at. @return 0, or a negative errno with vx_error() filled */
int vx_asked_device(struct vx_asked *asked, const struct vx_path *path);
int vx_asked_port(struct vx_asked *asked, const struct vx_path *path);
int vx_asked_gid(struct vx_asked *asked, const struct vx_path *path, const char *call);
int vx_asked_pkey(struct vx_asked *asked, const struct vx_path *path);

#endif
