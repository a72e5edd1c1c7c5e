/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The messages of a handshake as bytes. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "handshake_wire.h"
#include "path/path.h"

static const char magic[4] = { 'V', 'X', 'Q', 'P' };

/* ---- entries ---- */

#define LONGEST_NUMBER 4

#define FOR_EACH_MEMBER(m) for (const struct vx_wire_member *m = vx_wire_members; m < vx_wire_members + VX_WIRE_MEMBERS; m++)

void vx_wire_put_entry(unsigned char *bytes, const struct vx_wire_entry *entry)
{
	const struct vx_wire_entry said = { .flags = entry->flags | (entry->path.is_global ? VX_WIRE_GLOBAL : 0) };
	const unsigned char *end = bytes + VX_WIRE_ENTRY, *member;

	FOR_EACH_MEMBER(m) {
		member = (const unsigned char *)(m->offset == offsetof(struct vx_wire_entry, flags) ? &said : entry) + m->offset;
		if (m->sent > LONGEST_NUMBER)
			memcpy(bytes, member, m->sent);
		else
			vx_wire_put(bytes, m->sent, (uint32_t)vx_read_unsigned(member, m->size));
		bytes += m->sent;
	}
	memset(bytes, 0, (size_t)(end - bytes));
}

void vx_wire_get_entry(const unsigned char *bytes, size_t size, struct vx_wire_entry *entry)
{
	unsigned char known[VX_WIRE_ENTRY] = { 0 }, *at = known, *member;

	memcpy(known, bytes, size < sizeof(known) ? size : sizeof(known));
	memset(entry, 0, sizeof(*entry));
	FOR_EACH_MEMBER(m) {
		member = (unsigned char *)entry + m->offset;
		if (m->sent > LONGEST_NUMBER)
			memcpy(member, at, m->sent);
		else
			vx_store(member, m->size, vx_wire_get(at, m->sent));
		at += m->sent;
	}
	entry->path.is_global = entry->flags & VX_WIRE_GLOBAL;
	entry->flags &= ~VX_WIRE_GLOBAL;
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
			snprintf(why, len, "byte %zu is 0x%02x, and each message begins with \"VXQP\": somebody else speaks there, or has said something before", i, bytes[i]);
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
