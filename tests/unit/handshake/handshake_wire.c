/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The bytes of a handshake: what was sent yesterday is understood tomorrow. */

#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include "handshake/handshake_wire.h"

static const unsigned char golden_header[VX_WIRE_HEADER] = {
	'V', 'X', 'Q', 'P', 1, 2, 0x01, 0x02, 0, 0x01, 0x00, 0x05, 0, 64, 0, 0,
};

/* Each byte of each member is another one. */
static const struct vx_wire_entry entry = {
	.path = {
		.sgid.raw = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }, .slid = 0x1112, .pkey = 0x1314, .sqpn = 0x15161718,
		.spsn = 0x191a1b1c, .qkey = 0x1d1e1f20, .gid_type = 0x27, .path_mtu = 0x28, .drd_atomic = 0x29, .srd_atomic = 0x2a,
		.sack_delay = 0x2b, .packet_life_time = 0x2c, .sl = 0x2d, .traffic_class = 0x2e, .hop_limit = 0x2f, .min_rnr_timer = 0x30,
		.flow_label = 0x31323334,
	},
	.srqn = 0x21222324, .qp_type = 0x25, .link_layer = 0x26, .flags = 0x35363738,
};

/* 1 to 0x38, and eight zeros. */
static void make_golden_entry(unsigned char *bytes)
{
	unsigned int i;

	for (i = 0; i < VX_WIRE_ENTRY; i++)
		bytes[i] = i < 0x38 ? (unsigned char)(i + 1) : 0;
}

Test(handshake_wire, header_is_as_it_always_was)
{
	const struct vx_wire_header header = { .version = 1, .type = VX_WIRE_ANSWER, .count = 0x102, .length = 0x10005, .entry = 64 };
	unsigned char bytes[VX_WIRE_HEADER];
	struct vx_wire_header back;
	char why[200];

	vx_wire_put_header(bytes, &header);
	cr_expect_eq(memcmp(bytes, golden_header, sizeof(bytes)), 0);
	cr_expect_eq(vx_wire_get_header(bytes, &back, why, sizeof(why)), 0, "%s", why);
	cr_expect(back.type == header.type && back.count == header.count && back.length == header.length && back.entry == header.entry);
}

Test(handshake_wire, entry_is_as_it_always_was)
{
	unsigned char bytes[VX_WIRE_ENTRY], golden[VX_WIRE_ENTRY];
	struct vx_wire_entry back;

	make_golden_entry(golden);
	vx_wire_put_entry(bytes, &entry);
	cr_expect_eq(memcmp(bytes, golden, sizeof(bytes)), 0);
	memset(&back, 0xff, sizeof(back));
	vx_wire_get_entry(golden, sizeof(golden), &back);
	cr_expect_eq(memcmp(&back, &entry, sizeof(entry)), 0);
}

Test(handshake_wire, of_who_knows_less_has_zeros_at_the_end)
{
	unsigned char bytes[VX_WIRE_ENTRY];
	struct vx_wire_entry back;

	make_golden_entry(bytes);
	vx_wire_get_entry(bytes, 36, &back);
	cr_expect_eq(back.srqn, entry.srqn);
	cr_expect_eq(back.qp_type | back.path.min_rnr_timer | back.path.flow_label | back.flags, 0);
	vx_wire_get_entry(bytes, 0, &back);
	cr_expect_eq(back.path.sgid.raw[0] | back.path.sqpn, 0);
}

Test(handshake_wire, of_who_knows_more_is_read_as_far_as_it_is_known)
{
	unsigned char bytes[VX_WIRE_ENTRY + 40];
	struct vx_wire_entry back;

	memset(bytes, 0xee, sizeof(bytes));
	make_golden_entry(bytes);
	vx_wire_get_entry(bytes, sizeof(bytes), &back);
	cr_expect_eq(memcmp(&back, &entry, sizeof(entry)), 0);
}

Test(handshake_wire, numbers_are_big_endian_of_any_size)
{
	unsigned char bytes[4];

	vx_wire_put(bytes, 4, 0x01020304);
	cr_expect_eq(memcmp(bytes, "\1\2\3\4", 4), 0);
	cr_expect_eq(vx_wire_get(bytes, 4), 0x01020304);
	cr_expect_eq(vx_wire_get(bytes, 3), 0x010203);
	cr_expect_eq(vx_wire_get(bytes, 1), 1);
	vx_wire_put(bytes, 2, 0xfffe);
	cr_expect_eq(memcmp(bytes, "\xff\xfe\3\4", 4), 0);
}

static void expect_refused(size_t at, unsigned char value, int code, const char *words)
{
	unsigned char bytes[VX_WIRE_HEADER];
	struct vx_wire_header header;
	char why[200] = "";

	memcpy(bytes, golden_header, sizeof(bytes));
	bytes[at] = value;
	cr_expect_eq(vx_wire_get_header(bytes, &header, why, sizeof(why)), code);
	cr_expect_not_null(strstr(why, words), "%s", why);
}

Test(handshake_wire, no_header_has_other_numbers)
{
	expect_refused(0, 'G', -EPROTO, "byte 0 is 0x47, and each message begins with \"VXQP\"");
	expect_refused(3, 0, -EPROTO, "byte 3 is 0x00");
	expect_refused(4, 2, -EPROTONOSUPPORT, "the other side speaks version 2 of the handshake, this one 1");
	expect_refused(5, 0, -EPROTO, "byte 5 is 0");
	expect_refused(5, 5, -EPROTO, "byte 5 is 5");
	expect_refused(9, 0x11, -EPROTO, "say that 1114117 bytes follow, and the most is 1048576");
	expect_refused(12, 2, -EPROTO, "258 entries of 576 bytes, and that 65541 bytes follow");
}
