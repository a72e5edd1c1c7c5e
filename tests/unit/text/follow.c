/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toy.h"

#define NOWHERE ((void *)16) /* reading there ends the test */

static const char *wr_in(const struct toy_wr *wr, int style)
{
	return toy_text(TOY_WR, wr, sizeof(*wr), style);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

Test(follow, pointers_stay_closed_unless_asked_for)
{
	const struct toy_wr wr = { .next = NOWHERE,
				   .sg_list = NOWHERE,
				   .num_sge = 2,
				   .numbers = NOWHERE,
				   .key = NOWHERE,
				   .key_len = 9,
				   .gids = NOWHERE };
	const char *text = wr_in(&wr, VX_TEXT);

	cr_expect_str_eq(toy_line(text, "next"), "0x10");
	cr_expect_str_eq(toy_line(text, "sg_list"), "0x10");
	cr_expect_str_eq(toy_line(text, "numbers"), "0x10");
	cr_expect_str_eq(toy_line(text, "key"), "0x10");
	cr_expect_str_eq(toy_line(text, "gids"), "0x10");
}

Test(follow, a_counted_array_of_structures)
{
	struct toy_sge sges[] = { { 0x1000, 5 }, { 0x2000, 6 } };
	const struct toy_wr wr = { .sg_list = sges, .num_sge = 2 };

	cr_expect(strstr(
		wr_in(&wr, VX_TEXT | VX_FOLLOW),
		"sg_list[0]:\n  addr   : 0x1000\n  length : 5\nsg_list[1]:\n  addr   : 0x2000\n  length : 6\n"));
	cr_expect(strstr(wr_in(&wr, VX_COMPACT | VX_FOLLOW),
			 " sg_list=[{addr=0x1000 length=5},{addr=0x2000 length=6}] "));
	cr_expect(
		strstr(wr_in(&wr, VX_JSON | VX_FOLLOW),
		       "\", \"to\": [{\"addr\": \"4096\", \"length\": 5}, {\"addr\": \"8192\", \"length\": 6}]}, "));
}

Test(follow, in_json_the_pointer_stands_around_what_it_leads_to)
{
	const struct toy_sge sge = { 1, 2 };
	const struct toy_wr wr = { .id = 9, .sg_list = (void *)(uintptr_t)&sge, .num_sge = 1 };
	char expected[128];

	snprintf(expected, sizeof(expected), "\"sg_list\": {\"address\": \"0x%llx\", \"to\": [{\"addr\": \"1\", \"length\": 2}]}, ",
		 (unsigned long long)(uintptr_t)&sge);
	cr_expect(strstr(wr_in(&wr, VX_JSON | VX_FOLLOW), expected), "%s", wr_in(&wr, VX_JSON | VX_FOLLOW));
	snprintf(expected, sizeof(expected), "\"sg_list\": {\"address\": \"0x%llx\"}, ", (unsigned long long)(uintptr_t)&sge);
	cr_expect(strstr(wr_in(&wr, VX_JSON), expected));
}

Test(follow, a_count_of_0_or_below_reads_nothing)
{
	struct toy_wr wr = { .sg_list = NOWHERE, .num_sge = 0, .numbers = NOWHERE, .key = NOWHERE };
	const char *text = wr_in(&wr, VX_TEXT | VX_FOLLOW);

	cr_expect_str_eq(toy_line(text, "sg_list"), "[]");
	cr_expect_str_eq(toy_line(text, "numbers"), "[]");
	cr_expect_str_eq(toy_line(text, "key"), "");
	wr.num_sge = -1;
	text = wr_in(&wr, VX_TEXT | VX_FOLLOW);
	cr_expect_str_eq(toy_line(text, "sg_list"), "[]");
	cr_expect_str_eq(toy_line(text, "numbers"), "[]");
}

Test(follow, null_reads_nothing_whatever_the_count)
{
	const struct toy_wr wr = { .num_sge = 5, .key_len = 5, .log_gids = 2 };
	const char *text = wr_in(&wr, VX_TEXT | VX_FOLLOW);

	cr_expect_str_eq(toy_line(text, "next"), "NULL");
	cr_expect_str_eq(toy_line(text, "sg_list"), "NULL");
	cr_expect_str_eq(toy_line(text, "numbers"), "NULL");
	cr_expect_str_eq(toy_line(text, "key"), "NULL");
	cr_expect_str_eq(toy_line(text, "gids"), "NULL");
}

Test(follow, numbers_and_bytes_behind_pointers)
{
	static const uint16_t numbers[] = { 7, 8, 9 };
	static const uint8_t key[] = { 0xab, 0xcd, 0xef };
	const struct toy_wr wr = { .num_sge = 2, .numbers = numbers, .key = key, .key_len = 2 };
	const char *text = wr_in(&wr, VX_TEXT | VX_FOLLOW);

	cr_expect_str_eq(toy_line(text, "numbers"), "[7, 8]");
	cr_expect_str_eq(toy_line(text, "key"), "abcd");
}

Test(follow, a_count_that_is_a_power_of_two)
{
	const union toy_gid gids[2] = { { .raw = { [15] = 1 } }, { .raw = { [15] = 2 } } };
	struct toy_wr wr = { .gids = gids, .log_gids = 1 };

	cr_expect_str_eq(toy_line(wr_in(&wr, VX_TEXT | VX_FOLLOW), "gids"), "[::1, ::2]");
	wr.log_gids = 64;
	cr_expect_str_eq(toy_line(wr_in(&wr, VX_TEXT | VX_FOLLOW), "gids"), "[]");
}

Test(follow, a_text_behind_a_pointer)
{
	const struct toy_wr wr = { .opcode = 2, .wr.far = { 1, "over there" } };

	cr_expect_str_eq(toy_line(wr_in(&wr, VX_TEXT | VX_FOLLOW), "note"), "over there");
}

Test(follow, a_very_long_text_is_cut)
{
	char *note = calloc(1, 100000);
	const struct toy_wr wr = { .opcode = 2, .wr.far = { 1, note } };

	memset(note, 'x', 99999);
	cr_expect_eq(strlen(toy_line(wr_in(&wr, VX_TEXT | VX_FOLLOW), "note")), 4096);
	free(note);
}

Test(follow, a_linked_list_is_an_array)
{
	struct toy_wr third = { .id = 3 }, second = { .id = 2, .next = &third };
	const struct toy_wr first = { .id = 1, .next = &second };
	const char *text = wr_in(&first, VX_TEXT | VX_FOLLOW);

	cr_expect(strstr(text, "next[0]:\n  id       : 2\n  sg_list"), "%s", text);
	cr_expect(strstr(text, "next[1]:\n  id       : 3\n  sg_list"), "%s", text);
	cr_expect_eq(count_of(text, "next"), 2);
}

Test(follow, a_ring_of_two_ends)
{
	struct toy_wr first = { .id = 1 }, second = { .id = 2, .next = &first };
	const char *text;

	first.next = &second;
	text = wr_in(&first, VX_TEXT | VX_FOLLOW);
	cr_expect_eq(count_of(text, "id       :"), 2, "%s", text);
	cr_expect(strstr(text, "next[1]: ...\n"), "%s", text);
	cr_expect(strstr(wr_in(&first, VX_JSON | VX_FOLLOW), "}], \"cut\": true}, \"sg_list\""));
	cr_expect(strstr(wr_in(&first, VX_COMPACT | VX_FOLLOW), "},...] sg_list"));
}

Test(follow, a_ring_that_does_not_come_back_to_its_head_ends_soon)
{
	struct toy_wr ring[10] = { 0 };
	size_t i;

	for (i = 0; i < 10; i++)
		ring[i].next = &ring[i == 9 ? 5 : i + 1];
	cr_expect_lt(count_of(wr_in(&ring[0], VX_TEXT | VX_FOLLOW), "opcode"), 40);
}

Test(follow, a_work_request_that_is_its_own_successor)
{
	struct toy_wr wr = { .id = 1 };

	wr.next = &wr;
	cr_expect_eq(count_of(wr_in(&wr, VX_TEXT | VX_FOLLOW), "opcode"), 1);
}

Test(follow, a_very_long_list_is_cut)
{
	struct toy_wr *wrs = calloc(6000, sizeof(*wrs));
	size_t i;

	for (i = 0; i + 1 < 6000; i++)
		wrs[i].next = &wrs[i + 1];
	cr_expect_eq(count_of(wr_in(&wrs[0], VX_COMPACT | VX_FOLLOW), "opcode"), 1 + 4096);
	free(wrs);
}

Test(follow, structures_that_point_to_each_other_end)
{
	struct toy_node a = { .value = 1 }, b = { .value = 2, .left = &a };

	a.left = &b;
	a.right = &b;
	cr_expect_eq(count_of(toy_text(TOY_NODE, &a, sizeof(a), VX_TEXT | VX_FOLLOW), "value"), 3);
}

Test(follow, a_deep_web_of_pointers_ends)
{
	struct toy_node *nodes = calloc(40, sizeof(*nodes));
	size_t len, i;

	for (i = 0; i + 1 < 40; i++)
		nodes[i].left = nodes[i].right = &nodes[i + 1];
	len = vx_snprint(NULL, 0, vx_type_of(toy_struct(TOY_NODE), sizeof(*nodes)), nodes,
			 VX_COMPACT | VX_FOLLOW);
	cr_expect_lt(len, 1 << 20);
	free(nodes);
}

Test(follow, a_pointer_that_is_not_valid_stays_closed_even_with_all)
{
	const struct toy_wr wr = { .opcode = 1, .wr.far = { 1, NOWHERE } };
	const char *text = wr_in(&wr, VX_TEXT | VX_FOLLOW | VX_ALL);

	cr_expect_str_eq(toy_line(text, "note"), "0x10");
}

Test(follow, a_member_of_a_union_without_a_rule_stays_closed)
{
	const struct toy_loose loose = { .u.number = 16 };
	const char *text = toy_text(TOY_LOOSE, &loose, sizeof(loose), VX_TEXT | VX_FOLLOW);

	cr_expect_str_eq(text, "u:\n  cap    : 0x10\n  number : 16\n");
}

static const char *rare_in(const struct toy_rare *rare, int style)
{
	return toy_text(TOY_RARE, rare, sizeof(*rare), style);
}

Test(follow, a_pointer_to_one_number)
{
	static const uint32_t number = 77;
	const struct toy_rare rare = { .single = &number };

	cr_expect_str_eq(toy_line(rare_in(&rare, VX_TEXT | VX_FOLLOW), "single"), "77");
}

Test(follow, a_socket_address_no_further_than_its_length)
{
	static const unsigned char address[] = {
		[0] = AF_INET, [2] = 0x12, [3] = 0xb7, [4] = 192, [6] = 2, [7] = 1
	};
	struct toy_rare rare = { .address = address, .address_len = sizeof(address) };

	cr_expect_str_eq(toy_line(rare_in(&rare, VX_TEXT | VX_FOLLOW), "address"), "192.0.2.1:4791");
	rare.address_len = 7;
	cr_expect_str_eq(toy_line(rare_in(&rare, VX_TEXT | VX_FOLLOW), "address"), "020012b7c00002");
	rare.address_len = 1;
	cr_expect_str_eq(toy_line(rare_in(&rare, VX_TEXT | VX_FOLLOW), "address"), "02");
}

Test(follow, more_than_can_be_meant_is_cut)
{
	uint8_t *bytes = calloc(1, 100000);
	const struct toy_rare rare = { .many = bytes, .blob = bytes, .length = 100000 };
	const char *text = rare_in(&rare, VX_TEXT | VX_FOLLOW);

	cr_expect_eq(strlen(toy_line(text, "blob")), 2 * 65536 + strlen("..."));
	cr_expect_eq(strlen(toy_line(text, "many")), strlen("[0, ...]") + 4095 * strlen(", 0"));
	text = rare_in(&rare, VX_JSON | VX_FOLLOW);
	cr_expect(strstr(text, "0, 0], \"cut\": true}, \"blob\""));
	cr_expect(strstr(text, "00\", \"cut\": true}, "));
	free(bytes);
}
