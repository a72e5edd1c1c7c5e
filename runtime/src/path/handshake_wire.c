/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The messages of a handshake as bytes. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "handshake_wire.h"

static const char magic[4] = { 'V', 'X', 'Q', 'P' };

/* ---- numbers ---- */

void vx_wire_put(unsigned char *bytes, size_t size, uint32_t number)
{
	while (size--) {
		bytes[size] = (unsigned char)number;
		number >>= 8;
	}
}

uint32_t vx_wire_get(const unsigned char *bytes, size_t size)
{
	uint32_t number = 0;

	while (size--)
		number = number << 8 | *bytes++;
	return number;
}

/* ---- entries ---- */

/* The members of an entry in the order in which they are sent, without gaps. */
#define MEMBER(name) { offsetof(struct vx_wire_entry, name), sizeof(((struct vx_wire_entry *)0)->name) }
static const struct {
	uint8_t at, size;
} members[] = {
	MEMBER(gid),	   MEMBER(lid),	   MEMBER(pkey),      MEMBER(qpn),  MEMBER(psn), MEMBER(qkey),		MEMBER(srqn),
	MEMBER(qp_type),   MEMBER(link_layer), MEMBER(gid_type),  MEMBER(mtu),  MEMBER(rd_in), MEMBER(rd_out),	MEMBER(ack_delay),
	MEMBER(life),	   MEMBER(sl),	   MEMBER(traffic_class), MEMBER(hop_limit), MEMBER(min_rnr), MEMBER(flow_label), MEMBER(flags),
};

#define FOR_EACH_MEMBER(i) for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)

/* Between memory of this machine and the wire, either way: a GID is bytes on both, and a number of 1, 2 or 4 may be the other way round. */
static void copy_member(void *to, const void *from, size_t size)
{
	const bool turned = size <= 4 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	size_t i;

	for (i = 0; i < size; i++)
		((unsigned char *)to)[i] = ((const unsigned char *)from)[turned ? size - 1 - i : i];
}

void vx_wire_put_entry(unsigned char *bytes, const struct vx_wire_entry *entry)
{
	unsigned char *end = bytes + VX_WIRE_ENTRY;

	FOR_EACH_MEMBER(i) {
		copy_member(bytes, (const char *)entry + members[i].at, members[i].size);
		bytes += members[i].size;
	}
	memset(bytes, 0, (size_t)(end - bytes));
}

void vx_wire_get_entry(const unsigned char *bytes, size_t size, struct vx_wire_entry *entry)
{
	unsigned char known[VX_WIRE_ENTRY] = { 0 }, *at = known;

	memcpy(known, bytes, size < sizeof(known) ? size : sizeof(known));
	FOR_EACH_MEMBER(i) {
		copy_member((char *)entry + members[i].at, at, members[i].size);
		at += members[i].size;
	}
}

/* ---- headers ---- */

void vx_wire_put_header(unsigned char *bytes, const struct vx_wire_header *header)
{
	memset(bytes, 0, VX_WIRE_HEADER);
	memcpy(bytes, magic, sizeof(magic));
	bytes[4] = header->version;
	bytes[5] = header->type;
	vx_wire_put(bytes + 6, 2, header->count);
	vx_wire_put(bytes + 8, 4, header->length);
	vx_wire_put(bytes + 12, 2, header->entry);
}

static int check_magic(const unsigned char *bytes, char *why, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(magic); i++)
		if (bytes[i] != (unsigned char)magic[i]) {
			snprintf(why, len, "byte %zu is 0x%02x, and each message begins with \"VXQP\": somebody else speaks there", i, bytes[i]);
			return -EPROTO;
		}
	return 0;
}

/* What is wrong with the numbers of a header. */
static int check_header(const struct vx_wire_header *header, char *why, size_t len)
{
	uint64_t entries = (uint64_t)header->count * header->entry;

	if (header->type < VX_WIRE_OFFER || header->type > VX_WIRE_REFUSE)
		snprintf(why, len, "byte 5 is %u, and there are messages of types 1 to %u", header->type, VX_WIRE_REFUSE);
	else if (header->length > VX_WIRE_LONGEST)
		snprintf(why, len, "bytes 8 to 11 say that %u bytes follow, and the most is %u", header->length, VX_WIRE_LONGEST);
	else if (entries > header->length)
		snprintf(why, len, "bytes 6 to 13 say %u entries of %u bytes, and that %u bytes follow", header->count, header->entry,
			 header->length);
	else
		return 0;
	return -EPROTO;
}

int vx_wire_get_header(const unsigned char *bytes, struct vx_wire_header *header, char *why, size_t len)
{
	if (check_magic(bytes, why, len) < 0)
		return -EPROTO;
	header->version = bytes[4];
	header->type = bytes[5];
	header->count = (uint16_t)vx_wire_get(bytes + 6, 2);
	header->length = vx_wire_get(bytes + 8, 4);
	header->entry = (uint16_t)vx_wire_get(bytes + 12, 2);
	if (header->version == VX_WIRE_VERSION)
		return check_header(header, why, len);
	snprintf(why, len, "the other side speaks version %u of the handshake, this one %u", header->version, VX_WIRE_VERSION);
	return -EPROTONOSUPPORT;
}
