/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_HANDSHAKE_WIRE_H
#define VERBSX_SRC_HANDSHAKE_WIRE_H

/*
 * The messages of a handshake. All numbers are big endian.
 *
 *	header, 16 bytes: "VXQP", version, type, entries (16), length of what follows (32), bytes an entry (16), zero (16)
 *	entries, one a QP: 64 bytes, whose members are rows of gen/lore/path.toml
 *	the rest of the length: data of the program; of a REFUSE an errno (32) and a sentence
 *
 * What is new goes to the end of entries: who knows less takes the part that it knows, who knows more takes zeros for what is not
 * there. Flags of the upper half must be understood, or the handshake is refused. What cannot be done so raises the version.
 */

#include <stddef.h>
#include <stdint.h>

#include <verbsx/path.h>

#include "path_rows.h"
#include "text/printer.h"

#define VX_WIRE_VERSION 1
#define VX_WIRE_HEADER 16
#define VX_WIRE_ENTRY 64
#define VX_WIRE_LONGEST (1u << 20)	/* behind the header */
#define VX_WIRE_MUST_KNOW 0xffff0000u	/* of flags */
#define VX_WIRE_GLOBAL 1u		/* of flags: path.is_global; who does not know it sends with GIDs where its own port or the subnet asks for them */

enum vx_wire_type {
	VX_WIRE_OFFER = 1,
	VX_WIRE_ANSWER,
	VX_WIRE_READY,
	VX_WIRE_REFUSE,
};

struct vx_wire_header {
	uint8_t version;
	uint8_t type;
	uint16_t count;
	uint32_t length;
	uint16_t entry;
};

/* What one side says of a QP. */
struct vx_wire_entry {
	struct vx_path path;	/* as that side has it: what begins with d is not said */
	uint32_t srqn;
	uint32_t flags;		/* beside VX_WIRE_GLOBAL, which is is_global of the path */
	uint8_t qp_type;
	uint8_t link_layer;
};

/* A member of it, and as how many bytes it is sent. */
struct vx_wire_member {
	uint8_t size, offset, sent;
};

extern const struct vx_wire_member vx_wire_members[VX_WIRE_MEMBERS];

void vx_wire_put_header(unsigned char *bytes, const struct vx_wire_header *header);

/**
 * Read a header, and look whether any message can have it.
 *
 * @return 0, or a negative errno with what is wrong in @p why: -EPROTO, or -EPROTONOSUPPORT of another version, of which nothing more
 *         is known
 */
int vx_wire_get_header(const unsigned char *bytes, struct vx_wire_header *header, char *why, size_t len);

/* One entry, VX_WIRE_ENTRY bytes; and as much as @p size bytes have of one. */
void vx_wire_put_entry(unsigned char *bytes, const struct vx_wire_entry *entry);
void vx_wire_get_entry(const unsigned char *bytes, size_t size, struct vx_wire_entry *entry);

/* A number of 1 to 4 bytes. */
static inline void vx_wire_put(unsigned char *bytes, unsigned int size, uint32_t number)
{
	vx_bits_put(bytes, 0, 8 * size, number);
}

static inline uint32_t vx_wire_get(const unsigned char *bytes, unsigned int size)
{
	return (uint32_t)vx_bits_get(bytes, 0, 8 * size);
}

#endif
