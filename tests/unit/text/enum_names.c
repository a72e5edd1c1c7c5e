/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <string.h>

#include "toy.h"

static const char *text_of(const char *tag, int64_t value)
{
	static char texts[4][128];
	static unsigned int turn;
	char *text = texts[turn++ % 4];

	vx_enum_snprint(text, sizeof(texts[0]), toy_enum(tag), value);
	return text;
}

static const char *name_of(const char *tag, int64_t value)
{
	return vx_enum_name(toy_enum(tag), value);
}

Test(enum_names, a_dense_value_has_its_name)
{
	cr_expect_str_eq(name_of("toy_color", TOY_COLOR_GREEN), "TOY_COLOR_GREEN");
}

Test(enum_names, a_value_far_from_the_others_has_its_name)
{
	cr_expect_str_eq(name_of("toy_color", TOY_COLOR_VIOLET), "TOY_COLOR_VIOLET");
}

Test(enum_names, a_negative_value_has_its_name)
{
	cr_expect_str_eq(name_of("toy_state", -1), "TOY_STATE_BROKEN");
}

Test(enum_names, the_first_of_two_names_wins)
{
	cr_expect_str_eq(name_of("toy_color", TOY_COLOR_SKY), "TOY_COLOR_BLUE");
	cr_expect_str_eq(name_of("toy_check", TOY_CHECK_CRC_C), "TOY_CHECK_CRC");
}

Test(enum_names, a_gap_has_no_name)
{
	cr_expect_null(name_of("toy_color", 2));
}

Test(enum_names, a_sentinel_names_no_value)
{
	cr_expect_null(name_of("toy_color", TOY_COLOR_LAST));
	cr_expect_null(name_of("toy_access", TOY_ACCESS_RESERVED));
}

Test(enum_names, a_value_outside_has_no_name)
{
	cr_expect_null(name_of("toy_color", -1));
	cr_expect_null(name_of("toy_color", INT64_MAX));
	cr_expect_null(name_of("toy_state", INT64_MIN));
	cr_expect_null(name_of("toy_state", -2));
}

Test(enum_names, a_single_flag_and_a_composite_have_names)
{
	cr_expect_str_eq(name_of("toy_access", TOY_ACCESS_ATOMIC), "TOY_ACCESS_ATOMIC");
	cr_expect_str_eq(name_of("toy_access", (int64_t)TOY_ACCESS_FAR), "TOY_ACCESS_FAR");
	cr_expect_str_eq(name_of("toy_access", TOY_ACCESS_ALL), "TOY_ACCESS_ALL");
	cr_expect_str_eq(name_of("toy_access", 0), "TOY_ACCESS_NONE");
}

Test(enum_names, two_flags_together_have_no_name)
{
	cr_expect_null(name_of("toy_access", TOY_ACCESS_READ | TOY_ACCESS_WRITE));
}

Test(enum_text, a_known_value_is_its_name)
{
	cr_expect_str_eq(text_of("toy_color", TOY_COLOR_RED), "TOY_COLOR_RED");
}

Test(enum_text, an_unknown_value_carries_the_tag)
{
	cr_expect_str_eq(text_of("toy_color", 37), "toy_color(37)");
	cr_expect_str_eq(text_of("toy_state", -9), "toy_state(-9)");
	cr_expect_str_eq(text_of("toy_state", INT64_MIN), "toy_state(-9223372036854775808)");
}

Test(enum_text, flags_are_joined_in_the_order_of_their_bits)
{
	cr_expect_str_eq(text_of("toy_access", TOY_ACCESS_ATOMIC | TOY_ACCESS_READ),
			 "TOY_ACCESS_READ|TOY_ACCESS_ATOMIC");
}

Test(enum_text, an_empty_set_is_0)
{
	cr_expect_str_eq(text_of("toy_access", 0), "0");
}

Test(enum_text, unknown_flag_bits_are_shown_in_hex)
{
	cr_expect_str_eq(text_of("toy_access", TOY_ACCESS_READ | 1 << 27 | 1 << 28),
			 "TOY_ACCESS_READ|0x18000000");
	cr_expect_str_eq(text_of("toy_access", INT64_MIN), "0x8000000000000000");
}

Test(enum_text, a_reserved_bit_is_shown_in_hex)
{
	cr_expect_str_eq(text_of("toy_access", TOY_ACCESS_WRITE | TOY_ACCESS_RESERVED),
			 "TOY_ACCESS_WRITE|0x10");
}

Test(enum_text, a_composite_gives_way_to_its_flags)
{
	cr_expect_str_eq(text_of("toy_access", TOY_ACCESS_ALL),
			 "TOY_ACCESS_READ|TOY_ACCESS_WRITE|TOY_ACCESS_ATOMIC");
}

Test(enum_text, a_name_of_several_bits_needs_all_of_them)
{
	cr_expect_str_eq(text_of("toy_check", 0xc0), "TOY_CHECK_GUARD");
	cr_expect_str_eq(text_of("toy_check", 0x40), "0x40");
}

Test(enum_text, the_widest_name_comes_first)
{
	cr_expect_str_eq(text_of("toy_check", 0xf3), "TOY_CHECK_CRC|0x3");
}

Test(enum_text, a_mixed_value_is_split_from_its_flags)
{
	cr_expect_str_eq(text_of("toy_spec", TOY_SPEC_ETH), "TOY_SPEC_ETH");
	cr_expect_str_eq(text_of("toy_spec", TOY_SPEC_ETH | TOY_SPEC_INNER), "TOY_SPEC_ETH|TOY_SPEC_INNER");
	cr_expect_str_eq(text_of("toy_spec", 0x55 | TOY_SPEC_INNER), "toy_spec(85)|TOY_SPEC_INNER");
	cr_expect_str_eq(text_of("toy_spec", TOY_SPEC_INNER), "TOY_SPEC_INNER");
	cr_expect_str_eq(text_of("toy_spec", 0), "toy_spec(0)");
}

Test(enum_text, the_length_is_that_of_the_whole_text)
{
	cr_expect_eq(vx_enum_snprint(NULL, 0, toy_enum("toy_color"), 37), strlen("toy_color(37)"));
}

Test(enum_text, every_shorter_buffer_holds_the_beginning)
{
	const int64_t value = TOY_ACCESS_READ | TOY_ACCESS_WRITE | 1 << 20;
	const char *whole = text_of("toy_access", value);
	size_t n = strlen(whole), len;
	char buf[128];

	for (len = 1; len <= n + 1; len++) {
		memset(buf, '#', sizeof(buf));
		cr_expect_eq(vx_enum_snprint(buf, len, toy_enum("toy_access"), value), n);
		cr_expect_eq(strlen(buf), len - 1);
		cr_expect_eq(strncmp(buf, whole, len - 1), 0);
		cr_expect_eq(buf[len], '#', "byte %zu was written", len);
	}
}

Test(enum_tables, an_enum_is_found_by_its_tag)
{
	cr_expect_str_eq(vx_enum_tag(vx_enum_find("toy_spec")), "toy_spec");
	cr_expect_eq(vx_enum_kind_of(vx_enum_find("toy_spec")), VX_ENUM_MIXED);
	cr_expect_null(vx_enum_find("toy_nothing"));
	cr_expect_null(vx_enum_find(NULL));
}

Test(enum_tables, all_enums_are_reached_by_index)
{
	size_t count = 0;

	while (vx_enum_at(count))
		count++;
	cr_expect_eq(count, 6);
	cr_expect_eq(vx_enum_at(1), vx_enum_find("toy_state"));
}

Test(enum_tables, an_enum_is_found_by_its_number)
{
	cr_expect_eq(vx_enum_by_id(1), vx_enum_find("toy_state"));
	cr_expect_eq(vx_enum_by_id(3), vx_enum_find("toy_color"));
}

Test(enum_tables, a_number_of_another_libverbsx_finds_nothing)
{
	cr_expect_null(vx_enum_by_id(0));
	cr_expect_null(vx_enum_by_id(2));
	cr_expect_null(vx_enum_by_id(4));
	cr_expect_null(vx_enum_by_id(UINT32_MAX));
}

Test(enum_tables, an_enum_that_is_not_known_has_no_names)
{
	struct vx_enumerator at;
	char text[32];

	cr_expect_null(vx_enum_name(NULL, 0));
	cr_expect_eq(vx_enum_snprint(text, sizeof(text), NULL, 37), strlen("unknown(37)"));
	cr_expect_str_eq(text, "unknown(37)");
	cr_expect_str_eq(vx_enum_tag(NULL), "unknown");
	cr_expect_eq(vx_enum_kind_of(NULL), VX_ENUM_VALUES);
	cr_expect_not(vx_enumerator_at(NULL, 0, &at));
	cr_expect_null(vx_enum_find("unknown"));
}

Test(enum_tables, enumerators_come_in_order_with_what_is_known_of_them)
{
	const struct vx_enum_info *e = toy_enum("toy_color");
	struct vx_enumerator at = { 0 };

	cr_assert(vx_enumerator_at(e, 3, &at));
	cr_expect_str_eq(at.name, "TOY_COLOR_SKY");
	cr_expect_eq(at.value, 3);
	cr_expect_eq(at.since, 44);
	cr_expect_eq(at.flags, VX_ENUMERATOR_ALIAS);
	cr_expect(vx_enumerator_at(e, 5, &at));
	cr_expect_not(vx_enumerator_at(e, 6, &at));
	cr_expect_str_eq(at.name, "TOY_COLOR_VIOLET");
}
