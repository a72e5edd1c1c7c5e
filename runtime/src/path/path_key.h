/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_PATH_KEY_H
#define VERBSX_SRC_PATH_KEY_H

/* The members of struct vx_path: in texts what stands before the "=". */

#include <stdint.h>

#include <verbsx/path.h>

#include "path_rows.h"

enum vx_path_form {
	VX_PATH_DECIMAL,
	VX_PATH_HEX,
	VX_PATH_BYTES,		/* an enum ibv_mtu, as its number of bytes */
	VX_PATH_NAMED,		/* of an enum */
	VX_PATH_GID,
	VX_PATH_END,		/* the device, and its port */
};

/* Rows of gen/lore/path.toml. */
struct vx_path_key {
	char name[17];
	uint8_t form;		/* of enum vx_path_form */
	uint8_t bits;		/* that there are of a number in a packet, or the member has */
	uint8_t size, offset;	/* of the member */
	uint8_t attr_size, attr_offset;	/* the same in struct ibv_qp_attr; 0: it is none of that */
	uint8_t twin;		/* 1 + the key of what is the same of the other side; 0: there is none */
	uint16_t e;		/* of vx_enums, where it is NAMED or BYTES */
	uint16_t mask;		/* the bit that says that 0 is meant; 0: there is none */
};

extern const struct vx_path_key vx_path_keys[VX_PATH_KEYS];

static inline void *vx_path_member(const struct vx_path *path, const struct vx_path_key *key)
{
	return (char *)(uintptr_t)path + key->offset;
}

#endif
