/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The 40 bytes before a datagram, whatever the fabric leaves there. */

#include <string.h>

#include <criterion/criterion.h>

#include "verbs/header.h"

static const unsigned char ipv4[20] = { 0x45, 0x88, 0, 84, 0, 0, 0x40, 0, 63, 17, 0x27, 0x0f, 10, 0, 0, 1, 10, 0, 0, 2 };
static unsigned char bytes[40];
static struct vx_header header;

static void expect_mapped(const union ibv_gid *gid, unsigned char last)
{
	const union ibv_gid mapped = { .raw = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = last } };

	cr_expect_eq(memcmp(gid, &mapped, sizeof(mapped)), 0);
}

static void expect_ipv4(void)
{
	cr_assert(vx_header_read(bytes, &header));
	expect_mapped(&header.sgid, 1);
	expect_mapped(&header.dgid, 2);
	cr_expect_eq(header.traffic_class, 0x88);
	cr_expect_eq(header.hop_limit, 63);
	cr_expect_eq(header.flow_label, 0);
	cr_expect(header.udp);
}

Test(header, of_ipv4_is_in_the_last_bytes)
{
	memcpy(bytes + 20, ipv4, sizeof(ipv4));
	expect_ipv4();
	memset(bytes, 0xff, 20);
	expect_ipv4();
}

Test(header, of_ipv4_is_known_by_its_sum_where_the_bytes_before_look_like_ipv6)
{
	memset(bytes, 0x60, 20);
	memcpy(bytes + 20, ipv4, sizeof(ipv4));
	expect_ipv4();
	bytes[21]++;
	cr_assert(vx_header_read(bytes, &header));
	cr_expect_eq(header.dgid.raw[0], bytes[24], "it is taken for IPv6");
}

static void set_ipv6(unsigned char next)
{
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, (unsigned char[]){ 0x6a, 0xb5, 0x43, 0x21, 0, 60, next, 9 }, 8);
	bytes[8] = 0xfe;
	bytes[23] = 1;
	bytes[24] = 0x20;
	bytes[39] = 2;
}

Test(header, of_ipv6_has_all_of_it)
{
	set_ipv6(17);
	cr_assert(vx_header_read(bytes, &header));
	cr_expect_eq(header.traffic_class, 0xab);
	cr_expect_eq(header.flow_label, 0x54321);
	cr_expect_eq(header.hop_limit, 9);
	cr_expect(header.udp);
	cr_expect_eq(memcmp(&header.sgid, bytes + 8, 16), 0);
	cr_expect_eq(memcmp(&header.dgid, bytes + 24, 16), 0);
}

Test(header, of_infiniband_is_no_udp)
{
	set_ipv6(0x1b);
	cr_assert(vx_header_read(bytes, &header));
	cr_expect(!header.udp);
}

Test(header, that_is_neither_is_told)
{
	memset(bytes, 0, sizeof(bytes));
	cr_expect(!vx_header_read(bytes, &header));
	bytes[20] = 0x46; /* IPv4 with options, of which RoCE has none */
	cr_expect(!vx_header_read(bytes, &header));
}
