/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "toy.h"

static const char *line(const struct toy_forms *f, const char *name)
{
	return toy_line(toy_text(TOY_FORMS, f, sizeof(*f), VX_TEXT), name);
}

#define LINE(field, ...) line(&(struct toy_forms){ .field = __VA_ARGS__ }, #field)

Test(forms, hex)
{
	cr_expect_str_eq(LINE(hex, 0), "0x0");
	cr_expect_str_eq(LINE(hex, 0xdeadbeef), "0xdeadbeef");
	cr_expect_str_eq(LINE(hex, UINT64_MAX), "0xffffffffffffffff");
}

Test(forms, page_sizes)
{
	cr_expect_str_eq(LINE(page_sizes, 0x201000), "4 KiB|2 MiB (0x201000)");
	cr_expect_str_eq(LINE(page_sizes, 0x3001), "1 B|4 KiB|8 KiB (0x3001)");
	cr_expect_str_eq(LINE(page_sizes, 0), "0");
}

Test(forms, page_sizes_in_a_row_are_a_range)
{
	cr_expect_str_eq(LINE(page_sizes, 0xfffffffffffff000), "4 KiB..8 EiB (0xfffffffffffff000)");
	cr_expect_str_eq(LINE(page_sizes, UINT64_MAX), "1 B..8 EiB (0xffffffffffffffff)");
	cr_expect_str_eq(LINE(page_sizes, 0x807000), "4 KiB..16 KiB|8 MiB (0x807000)");
}

Test(forms, what_0_stands_for_in_an_init_structure)
{
	cr_expect_str_eq(LINE(plenty, 0), "default (0)");
	cr_expect_str_eq(LINE(plenty, 0x80000000), "VX_NONE (2147483648)");
	cr_expect_str_eq(LINE(plenty, UINT32_MAX), "4294967295", "of a failed int");
	cr_expect_str_eq(LINE(plenty, 7), "7");
	cr_expect_str_eq(LINE(wanted, 0), "default (0)");
	cr_expect_str_eq(LINE(wanted, TOY_COLOR_BLUE), "TOY_COLOR_BLUE (3)");
	cr_expect_str_eq(LINE(rights, 0), "default (0)");
}

Test(forms, powers_of_two)
{
	cr_expect_str_eq(LINE(log2, 10), "1024 (10)");
	cr_expect_str_eq(LINE(log2, 63), "9223372036854775808 (63)");
	cr_expect_str_eq(LINE(log2, 64), "64");
}

Test(forms, timeouts_of_the_architecture)
{
	cr_expect_str_eq(LINE(ack_timeout, 0), "infinite (0)");
	cr_expect_str_eq(LINE(ack_timeout, 1), "8.19 us (1)");
	cr_expect_str_eq(LINE(ack_timeout, 14), "67.1 ms (14)");
	cr_expect_str_eq(LINE(ack_timeout, 18), "1.07 s (18)");
	cr_expect_str_eq(LINE(ack_timeout, 31), "2.44 h (31)");
	cr_expect_str_eq(LINE(ack_timeout, 32), "32");
}

Test(forms, a_delay_of_0_is_its_unit)
{
	cr_expect_str_eq(LINE(delay, 0), "4.10 us (0)");
	cr_expect_str_eq(LINE(delay, 14), "67.1 ms (14)");
	cr_expect_str_eq(LINE(delay, 255), "255");
}

Test(forms, seven_retries_are_endless)
{
	cr_expect_str_eq(LINE(retry, 7), "infinite (7)");
	cr_expect_str_eq(LINE(retry, 6), "6");
}

Test(forms, rates)
{
	cr_expect_str_eq(LINE(rate, 0), "unlimited (0)");
	cr_expect_str_eq(LINE(rate, 999), "999 kb/s (999)");
	cr_expect_str_eq(LINE(rate, 1500000), "1.50 Gb/s (1500000)");
	cr_expect_str_eq(LINE(rate, 25000000), "25.0 Gb/s (25000000)");
}

Test(forms, rates_that_have_no_end)
{
	cr_expect_str_eq(LINE(pace, 0), "0");
	cr_expect_str_eq(LINE(pace, 1500000), "1.50 Gb/s (1500000)");
}

Test(forms, times)
{
	cr_expect_str_eq(LINE(time, { 1, 34342661121938 }), "tv_sec=1 tv_nsec=34342661121938");
	cr_expect_str_eq(LINE(time, { -1, 0 }), "tv_sec=-1 tv_nsec=0");
}

Test(forms, clocks)
{
	cr_expect_str_eq(LINE(clock, 0), "not supported (0)");
	cr_expect_str_eq(LINE(clock, 156250), "156 MHz (156250)");
	cr_expect_str_eq(LINE(clock, 1000000), "1.00 GHz (1000000)");
}

Test(forms, sizes)
{
	cr_expect_str_eq(LINE(bytes, 0), "0 B (0)");
	cr_expect_str_eq(LINE(bytes, 1023), "1023 B (1023)");
	cr_expect_str_eq(LINE(bytes, 4096), "4 KiB (4096)");
	cr_expect_str_eq(LINE(bytes, 1500), "1.46 KiB (1500)");
	cr_expect_str_eq(LINE(bytes, UINT64_MAX), "16.0 EiB (18446744073709551615)");
}

Test(forms, durations_have_three_digits)
{
	cr_expect_str_eq(LINE(ns, 0), "0 ns (0)");
	cr_expect_str_eq(LINE(ns, 999), "999 ns (999)");
	cr_expect_str_eq(LINE(ns, 1500000), "1.50 ms (1500000)");
	cr_expect_str_eq(LINE(ns, 12345), "12.3 us (12345)");
	cr_expect_str_eq(LINE(ns, 123456), "123 us (123456)");
	cr_expect_str_eq(LINE(ns, 90000000000), "1.50 min (90000000000)");
}

Test(forms, rounding_up_takes_the_next_unit)
{
	cr_expect_str_eq(LINE(ns, 999499), "999 us (999499)");
	cr_expect_str_eq(LINE(ns, 999500), "1.00 ms (999500)");
	cr_expect_str_eq(LINE(ns, 9994), "9.99 us (9994)");
	cr_expect_str_eq(LINE(ns, 9996), "10.0 us (9996)");
	cr_expect_str_eq(LINE(ns, 99960), "100 us (99960)");
}

Test(forms, a_guid_in_four_groups)
{
	struct toy_forms f = { 0 };
	static const unsigned char guid[8] = { 0x50, 0x54, 0x00, 0xff, 0xfe, 0x12, 0x34, 0x56 };

	memcpy(&f.guid, guid, sizeof(guid));
	cr_expect_str_eq(line(&f, "guid"), "5054:00ff:fe12:3456");
}

Test(forms, a_mac_address)
{
	cr_expect_str_eq(LINE(mac, { 0x52, 0x54, 0, 0x12, 0x34, 0xff }), "52:54:00:12:34:ff");
}

Test(forms, an_ipv4_address_that_is_a_number)
{
	cr_expect_str_eq(LINE(ipv4, 0xc0000201), "192.0.2.1");
}

Test(forms, ipv6_addresses_as_inet_ntop_writes_them)
{
	static const char *const addresses[] = {
		"::",
		"::1",
		"fe80::1",
		"2001:db8::",
		"1:2:3:4:5:6:7:8",
		"1:0:0:4::8",
		"1::4:0:0:8",
		"0:1::",
		"::2:0:0:0:0:1",
		"1:0:3:4:5:6:7:8",
		"::ffff:192.0.2.1",
		"ff02::1:ff00:0",
		"0:2:3:4:5:6:7:0",
		"::3:4:5:6:7:8",
	};
	char expected[INET6_ADDRSTRLEN];
	struct toy_forms f = { 0 };
	size_t i;

	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		cr_assert_eq(inet_pton(AF_INET6, addresses[i], f.ipv6), 1, "%s", addresses[i]);
		cr_assert(inet_ntop(AF_INET6, f.ipv6, expected, sizeof(expected)));
		cr_expect_str_eq(line(&f, "ipv6"), expected);
	}
}

Test(forms, any_ipv6_address_reads_back_as_itself)
{
	unsigned char back[16];
	struct toy_forms f = { 0 };
	unsigned int round, i;

	srandom(1);
	for (round = 0; round < 5000; round++) {
		for (i = 0; i < 16; i++)
			f.gid[i] = random() % 3 ? 0 : (unsigned char)random();
		cr_assert_eq(inet_pton(AF_INET6, line(&f, "gid"), back), 1, "%s", line(&f, "gid"));
		cr_assert_arr_eq(back, f.gid, 16);
	}
}

static const char *address_line(const void *address, size_t len)
{
	struct toy_forms f = { 0 };

	memcpy(&f.address, address, len);
	return line(&f, "address");
}

Test(forms, an_ipv4_socket_address)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(4791) };

	inet_pton(AF_INET, "192.0.2.1", &in.sin_addr);
	cr_expect_str_eq(address_line(&in, sizeof(in)), "192.0.2.1:4791");
}

Test(forms, an_ipv6_socket_address_with_its_scope)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(4791) };

	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	cr_expect_str_eq(address_line(&in6, sizeof(in6)), "[fe80::1]:4791");
	in6.sin6_scope_id = 2;
	cr_expect_str_eq(address_line(&in6, sizeof(in6)), "[fe80::1%2]:4791");
}

Test(forms, an_infiniband_socket_address)
{
	unsigned char ib[48] = {
		[2] = 0xff, [3] = 0xff, [8] = 0xfe, [9] = 0x80, [23] = 1, [29] = 1, [31] = 7
	};
	uint16_t family = 27;

	memcpy(ib, &family, sizeof(family));
	cr_expect_str_eq(address_line(ib, sizeof(ib)), "ib fe80::1 pkey 0xffff sid 0000:0000:0001:0007");
}

Test(forms, a_socket_address_of_no_family_and_of_a_strange_one)
{
	uint16_t strange = 99;

	cr_expect_str_eq(address_line("", 0), "none");
	cr_expect_eq(strspn(address_line("\0\0\1", 3), "0123456789abcdef"), 256);
	cr_expect_eq(strspn(address_line(&strange, sizeof(strange)), "0123456789abcdef"), 256);
}

Test(forms, errors_by_name)
{
	cr_expect_str_eq(LINE(error, -ENOMEM), "-ENOMEM (-12)");
	cr_expect_str_eq(LINE(error, 0), "0");
	cr_expect_str_eq(LINE(error, 28), "28");
	cr_expect_str_eq(LINE(error, -4000), "-4000");
	cr_expect_str_eq(LINE(error, INT32_MIN), "-2147483648");
}

Test(forms, file_descriptors)
{
	cr_expect_str_eq(LINE(fd, -1), "none (-1)");
	cr_expect_str_eq(LINE(fd, 3), "3");
}

Test(forms, modes_of_open)
{
	cr_expect_str_eq(LINE(mode, O_CREAT | O_EXCL), "O_CREAT|O_EXCL (0xc0)");
	cr_expect_str_eq(LINE(mode, O_RDWR | O_CREAT), "O_RDWR|O_CREAT (0x42)");
	cr_expect_str_eq(LINE(mode, 0), "0");
	cr_expect_str_eq(LINE(mode, 0x40000040), "O_CREAT|0x40000000 (0x40000040)");
	cr_expect_str_eq(LINE(mode, 0x40000000), "0x40000000");
}

Test(forms, codes_in_hexadecimal)
{
	cr_expect_str_eq(LINE(protocol, 1), "2.5 Gb/s (0x1)");
	cr_expect_str_eq(LINE(protocol, 0x1234), "0x1234");
	cr_expect_str_eq(LINE(protocol, 0), "0");
}

Test(forms, versions_of_firmware)
{
	cr_expect_str_eq(LINE(version, UINT64_C(16) << 32 | 35 << 16 | 2000), "16.35.2000 (0x10002307d0)");
}
