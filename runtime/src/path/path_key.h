/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_PATH_KEY_H
#define VERBSX_SRC_PATH_KEY_H

/* What stands before the "=" in the text of a path: the members of struct vx_path. */

#include <stdint.h>

#include <verbsx/path.h>

enum vx_path_form {
	VX_PATH_DECIMAL,
	VX_PATH_HEX,
	VX_PATH_BYTES,		/* an enum ibv_mtu, as its number of bytes */
	VX_PATH_NAMED,		/* of an enum */
	VX_PATH_GID,
	VX_PATH_END,		/* the device, and its port */
};

struct vx_path_key {
	char name[20];
	char tag[20];		/* of the enum */
	uint8_t form;		/* of enum vx_path_form */
	uint8_t bits;		/* that there are of a number in a packet, or the member has */
	uint8_t size;		/* of the member */
	uint8_t offset;
	uint32_t mask;		/* the bit that says that 0 is meant; 0: there is none */
};

/* In the order in which they are printed. */
extern const struct vx_path_key vx_path_keys[];
extern const unsigned int vx_path_key_count;

/* Those that an address or an end also gives. */
enum {
	VX_PATH_KEY_CTX,
	VX_PATH_KEY_PORT,
	VX_PATH_KEY_DGID,
	VX_PATH_KEY_DLID,
	VX_PATH_KEY_GID_TYPE,
};

#define VX_LAST_UNICAST_LID 0xbfff

static inline void *vx_path_member(const struct vx_path *path, const struct vx_path_key *key)
{
	return (char *)(uintptr_t)path + key->offset;
}

#endif
