/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <stdio.h>

#include "toy.h"

static const char *line(const struct toy_kinds *k, const char *name)
{
	return toy_line(toy_text(TOY_KINDS, k, sizeof(*k), VX_TEXT), name);
}

#define LINE(name, ...) line(&(struct toy_kinds){ __VA_ARGS__ }, name)

Test(kinds, numbers)
{
	cr_expect_str_eq(LINE("number", .number = 0), "0");
	cr_expect_str_eq(LINE("number", .number = UINT32_MAX), "4294967295");
	cr_expect_str_eq(LINE("negative", .negative = -32768), "-32768");
	cr_expect_str_eq(LINE("negative", .negative = 7), "7");
}

/* A line of a mere number, and others, have digits of two ways. */
Test(kinds, numbers_of_each_count_of_digits)
{
	const struct toy_kinds *k;
	char expected[24];
	uint64_t power;
	int by;

	for (power = 1; power <= UINT32_MAX; power *= 10) {
		for (by = -1; by <= 1; by++) {
			k = &(struct toy_kinds){ .number = (uint32_t)power + (uint32_t)by, .negative = (int16_t)-((int64_t)power % INT16_MAX) };
			snprintf(expected, sizeof(expected), "%u", k->number);
			cr_expect_str_eq(line(k, "number"), expected);
			snprintf(expected, sizeof(expected), "%d", k->negative);
			cr_expect_str_eq(line(k, "negative"), expected);
		}
	}
}

Test(kinds, a_truth_is_a_word_and_other_values_are_numbers)
{
	cr_expect_str_eq(LINE("truth", .truth = 0), "false");
	cr_expect_str_eq(LINE("truth", .truth = 1), "true");
	cr_expect_str_eq(LINE("truth", .truth = 2), "2");
}

Test(kinds, an_enum_shows_its_value_beside_the_name)
{
	cr_expect_str_eq(LINE("color", .color = TOY_COLOR_GREEN), "TOY_COLOR_GREEN (1)");
	cr_expect_str_eq(LINE("color", .color = (enum toy_color)37), "toy_color(37)");
}

Test(kinds, a_negative_enumerator_is_found)
{
	cr_expect_str_eq(LINE("state", .state = TOY_STATE_BROKEN), "TOY_STATE_BROKEN (-1)");
	cr_expect_str_eq(LINE("state", .state = (enum toy_state) - 7), "toy_state(-7)");
}

Test(kinds, flags_show_the_word_beside_the_names)
{
	cr_expect_str_eq(LINE("access", .access = 3), "TOY_ACCESS_READ|TOY_ACCESS_WRITE (0x3)");
	cr_expect_str_eq(LINE("access", .access = 0x101), "TOY_ACCESS_READ|0x100 (0x101)");
}

Test(kinds, no_flags_are_0_and_unknown_ones_stand_alone)
{
	cr_expect_str_eq(LINE("access", .access = 0), "0");
	cr_expect_str_eq(LINE("access", .access = 0x100), "0x100");
}

Test(kinds, a_bitmap_names_the_value_of_each_bit)
{
	cr_expect_str_eq(LINE("colors", .colors = 1 << TOY_COLOR_RED | 1 << TOY_COLOR_BLUE),
			 "TOY_COLOR_RED|TOY_COLOR_BLUE (0x9)");
	cr_expect_str_eq(LINE("colors", .colors = 1 << 2 | 1 << 3 | 1u << 31),
			 "TOY_COLOR_BLUE|0x80000004 (0x8000000c)");
}

Test(kinds, a_code_shows_its_meaning)
{
	cr_expect_str_eq(LINE("speed", .speed = 1), "2.5 Gb/s (1)");
	cr_expect_str_eq(LINE("speed", .speed = 7), "7");
}

Test(kinds, a_mixed_enum_in_a_field)
{
	cr_expect_str_eq(LINE("spec", .spec = 0x120), "TOY_SPEC_ETH|TOY_SPEC_INNER (288)");
	cr_expect_str_eq(LINE("spec", .spec = 0x10), "toy_spec(16)");
}

Test(kinds, a_text_ends_at_its_nul_or_its_end)
{
	cr_expect_str_eq(LINE("text", .text = "one"), "one");
	cr_expect_str_eq(LINE("text", .text = { 'f', 'u', 'l', 'l', ' ', 'u', 'p', '!' }), "full up!");
	cr_expect_str_eq(LINE("text", .text = ""), "");
}

Test(kinds, what_a_terminal_must_not_see_is_escaped)
{
	cr_expect_str_eq(LINE("text", .text = "a\033[1m\n"), "a\\x1b[1m\\x0a");
	cr_expect_str_eq(LINE("text", .text = "\xff\xc3\xa4"), "\\xff\xc3\xa4");
	cr_expect_str_eq(LINE("text", .text = "\xc2\x9b"), "\\xc2\\x9b");
}

Test(kinds, a_blob_is_in_hex)
{
	cr_expect_str_eq(LINE("blob", .blob = { 0, 0x11, 0xab, 0xff }), "0011abff");
}

Test(kinds, a_pointer_shows_its_value_or_null)
{
	cr_expect_str_eq(LINE("pointer", .pointer = (void *)0x1234), "0x1234");
	cr_expect_str_eq(LINE("pointer", .pointer = NULL), "NULL");
}

static void nothing(void)
{
}

Test(kinds, a_function_is_set_or_null)
{
	cr_expect_str_eq(LINE("function", .function = nothing), "set");
	cr_expect_str_eq(LINE("function", .function = NULL), "NULL");
}

Test(kinds, an_array_is_in_brackets)
{
	cr_expect_str_eq(LINE("list", .list = { 1, 22, 65535 }), "[1, 22, 65535]");
}

Test(kinds, the_byte_order_of_the_network_is_undone)
{
	struct toy_kinds k = { 0 };
	unsigned char *bytes = (unsigned char *)&k.big;

	bytes[2] = 0x12;
	bytes[3] = 0x34;
	cr_expect_str_eq(line(&k, "big"), "4660");
}

Test(kinds, what_is_reserved_shows_only_when_it_is_not_zero)
{
	cr_expect_str_eq(LINE("reserved", .reserved = 0), "(no such line)");
	cr_expect_str_eq(LINE("reserved", .reserved = 5), "5");
}

Test(kinds, a_structure_of_one_value_stands_in_place)
{
	cr_expect_str_eq(LINE("gid", .gid.raw = { 0xfe, 0x80, [15] = 1 }), "fe80::1");
}

static const char *rare_line(const struct toy_rare *rare, const char *name)
{
	return toy_line(toy_text(TOY_RARE, rare, sizeof(*rare), VX_TEXT), name);
}

Test(kinds, arrays_of_texts_and_of_blobs)
{
	const struct toy_rare rare = { .names = { "ab", { 'f', 'u', 'l', 'l' } },
				       .keys = { { 1, 2 }, { 3, 4 } } };

	cr_expect_str_eq(rare_line(&rare, "names"), "[ab, full]");
	cr_expect_str_eq(rare_line(&rare, "keys"), "[0102, 0304]");
}

Test(kinds, one_of_a_set_of_flags)
{
	const struct toy_rare none = { .one_flag = 0 }, write = { .one_flag = TOY_ACCESS_WRITE };

	cr_expect_str_eq(rare_line(&none, "one_flag"), "0");
	cr_expect_str_eq(rare_line(&write, "one_flag"), "TOY_ACCESS_WRITE (2)");
}
