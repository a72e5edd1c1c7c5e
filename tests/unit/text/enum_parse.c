/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <verbsx/error.h>

#include "toy.h"

#define UNTOUCHED 123456

/* The value of a text; cr_assert fails where it is not understood. */
static int64_t value_of(const char *tag, const char *text)
{
	int64_t value = UNTOUCHED;

	cr_assert_eq(vx_enum_parse(toy_enum(tag), text, &value), 0, "%s: %s", text, vx_error()->reason);
	return value;
}

/* The reason why a text is refused with the given code. */
static const char *reason_of(const char *tag, const char *text, int code)
{
	int64_t value = UNTOUCHED;

	cr_assert_eq(vx_enum_parse(toy_enum(tag), text, &value), code);
	cr_assert_eq(value, UNTOUCHED);
	cr_assert_str_eq(vx_error()->object, tag);
	return vx_error()->reason;
}

static void expect_round_trip(const char *tag, int64_t value)
{
	char text[256];

	cr_assert_lt(vx_enum_snprint(text, sizeof(text), toy_enum(tag), value), sizeof(text));
	cr_expect_eq(value_of(tag, text), value, "%s", text);
}

Test(enum_parse, a_full_name_in_any_case)
{
	cr_expect_eq(value_of("toy_color", "TOY_COLOR_BLUE"), 3);
	cr_expect_eq(value_of("toy_color", "toy_Color_blue"), 3);
}

Test(enum_parse, a_short_name_in_any_case)
{
	cr_expect_eq(value_of("toy_color", "VIOLET"), 255);
	cr_expect_eq(value_of("toy_color", "violet"), 255);
}

/* What all names begin with is TOY_COLOR_, of which TOY_ is the library's. */
Test(enum_parse, the_first_words_of_the_prefix_may_be_left_out)
{
	cr_expect_eq(value_of("toy_color", "COLOR_VIOLET"), 255);
	cr_expect_eq(value_of("toy_color", "color_violet"), 255);
	reason_of("toy_color", "lor_violet", -EINVAL);
	reason_of("toy_color", "toy_violet", -EINVAL);
}

Test(enum_parse, a_second_name_and_a_composite_are_understood)
{
	cr_expect_eq(value_of("toy_color", "sky"), 3);
	cr_expect_eq(value_of("toy_access", "all"), TOY_ACCESS_ALL);
}

Test(enum_parse, numbers_in_three_bases_and_below_zero)
{
	cr_expect_eq(value_of("toy_access", "37"), 37);
	cr_expect_eq(value_of("toy_access", "0x25"), 37);
	cr_expect_eq(value_of("toy_access", "0X2a"), 42);
	cr_expect_eq(value_of("toy_access", "045"), 37);
	cr_expect_eq(value_of("toy_state", "-1"), -1);
	cr_expect_eq(value_of("toy_state", "+1"), 1);
	cr_expect_eq(value_of("toy_state", "0"), 0);
}

Test(enum_parse, numbers_up_to_64_bits)
{
	cr_expect_eq(value_of("toy_access", "0xffffffffffffffff"), -1);
	cr_expect_eq(value_of("toy_state", "toy_state(-9223372036854775808)"), INT64_MIN);
}

Test(enum_parse, a_number_that_does_not_fit_is_out_of_range)
{
	cr_expect_str_eq(reason_of("toy_access", "18446744073709551616", -ERANGE),
			 "\"18446744073709551616\" at column 1 does not fit in 64 bits");
	reason_of("toy_access", "0x10000000000000000", -ERANGE);
	reason_of("toy_state", "-9223372036854775809", -ERANGE);
	reason_of("toy_state", "toy_state(99999999999999999999)", -ERANGE);
}

/* By any C library. */
Test(enum_parse, a_binary_number_is_refused)
{
	reason_of("toy_access", "0b11", -EINVAL);
	reason_of("toy_access", "-0B1", -EINVAL);
	reason_of("toy_state", "toy_state(0b1)", -EINVAL);
	cr_expect_eq(value_of("toy_access", "0"), 0);
	cr_expect_eq(value_of("toy_access", "0xb"), 11);
}

Test(enum_parse, a_number_that_is_no_value_but_in_a_name_is_refused)
{
	cr_expect_str_eq(reason_of("toy_size", " 4096", -EINVAL),
			 "4096 at column 2 is the value of no enumerator; TOY_SIZE_4096 is 5");
	reason_of("toy_size", "0x100", -EINVAL);
	cr_expect_eq(value_of("toy_size", "TOY_SIZE_4096"), 5);
	cr_expect_eq(value_of("toy_size", "toy_size(4096)"), 4096);
}

Test(enum_parse, a_number_that_is_no_value_is_refused_with_what_to_write)
{
	cr_expect_str_eq(reason_of("toy_size", " 1500", -EINVAL),
			 "1500 at column 2 is the value of no enumerator: there are TOY_SIZE_256, TOY_SIZE_4096; "
			 "write toy_size(1500) where it is meant");
	reason_of("toy_size", "409", -EINVAL);
	reason_of("toy_size", "96", -EINVAL);
	reason_of("toy_state", "-9", -EINVAL);
	cr_expect_eq(value_of("toy_size", "toy_size(1500)"), 1500);
}

Test(enum_parse, values_that_are_no_flags_are_not_joined)
{
	cr_expect_str_eq(reason_of("toy_color", "RED|BLUE", -EINVAL),
			 "\"RED|BLUE\" at column 1 has a '|', which joins flags, and this enum has none");
}

Test(enum_parse, a_number_that_is_a_value_is_taken)
{
	cr_expect_eq(value_of("toy_size", "5"), 5);
	cr_expect_eq(value_of("toy_size", "0x5"), 5);
}

Test(enum_parse, an_unknown_value_as_it_is_printed)
{
	cr_expect_eq(value_of("toy_color", "toy_color(37)"), 37);
	cr_expect_eq(value_of("toy_state", "toy_state( -9 )"), -9);
}

Test(enum_parse, a_name_with_its_number_as_a_field_prints)
{
	cr_expect_eq(value_of("toy_color", "TOY_COLOR_BLUE (3)"), 3);
	cr_expect_eq(value_of("toy_color", " TOY_COLOR_BLUE(0x3) "), 3);
	cr_expect_eq(value_of("toy_access", "TOY_ACCESS_READ|TOY_ACCESS_WRITE (0x3)"), value_of("toy_access", "READ|WRITE"));
	cr_expect_eq(value_of("toy_access", "TOY_ACCESS_READ (0xff)"), value_of("toy_access", "READ"));
	cr_expect_not_null(strstr(reason_of("toy_color", "TOY_COLOR_BLUE (4)", -EINVAL), "\"TOY_COLOR_BLUE (4)\" at column 1 is no name"));
	cr_expect_not_null(strstr(reason_of("toy_color", "(3)", -EINVAL), "is no name"));
	cr_expect_not_null(strstr(reason_of("toy_color", "BLUE (3", -EINVAL), "is no name"));
	cr_expect_not_null(strstr(reason_of("toy_color", "BLUE ()", -EINVAL), "is no name"));
}

Test(enum_parse, flags_joined_with_blanks_around)
{
	cr_expect_eq(value_of("toy_access", " read |\tTOY_ACCESS_WRITE| 0x100 "), 0x103);
}

Test(enum_parse, a_mixed_value_with_its_flag)
{
	cr_expect_eq(value_of("toy_spec", "ETH|INNER"), 0x120);
}

Test(enum_parse, every_value_comes_back_from_its_text)
{
	int64_t value;
	unsigned int bit;

	for (value = -300; value < 300; value++) {
		expect_round_trip("toy_color", value);
		expect_round_trip("toy_state", value);
		expect_round_trip("toy_access", value);
		expect_round_trip("toy_check", value);
		expect_round_trip("toy_spec", value);
	}
	for (bit = 0; bit < 64; bit++) {
		expect_round_trip("toy_color", (int64_t)(UINT64_C(1) << bit));
		expect_round_trip("toy_access", (int64_t)(UINT64_C(0xd) << bit));
		expect_round_trip("toy_check", (int64_t)(UINT64_C(0xf1) << bit));
		expect_round_trip("toy_spec", (int64_t)(UINT64_C(0x13) << bit));
	}
}

Test(enum_parse, a_slip_is_answered_with_the_closest_name)
{
	cr_expect_str_eq(
		reason_of("toy_color", "TOY_COLOR_GREN", -EINVAL),
		"\"TOY_COLOR_GREN\" at column 1 is no name of this enum; did you mean TOY_COLOR_GREEN?");
	cr_expect_str_eq(reason_of("toy_access", "read|writ", -EINVAL),
			 "\"writ\" at column 6 is no name of this enum; did you mean TOY_ACCESS_WRITE?");
}

Test(enum_parse, a_slip_as_close_to_two_names_is_answered_with_both)
{
	cr_expect_str_eq(reason_of("toy_state", "TOY_STATE_O", -EINVAL),
			 "\"TOY_STATE_O\" at column 1 is no name of this enum; did you mean TOY_STATE_OFF or TOY_STATE_ON?");
}

Test(enum_parse, flags_with_a_comma_between_are_told_of_the_bar)
{
	cr_expect_str_eq(reason_of("toy_access", "READ,WRITE", -EINVAL),
			 "\"READ,WRITE\" at column 1 has a ',' where '|' joins names");
	cr_expect_str_eq(reason_of("toy_color", "RED,GREEN", -EINVAL), "\"RED,GREEN\" at column 1 is no name of this enum");
}

Test(enum_parse, what_resembles_nothing_is_only_refused)
{
	cr_expect_str_eq(reason_of("toy_color", "  platypus", -EINVAL),
			 "\"platypus\" at column 3 is no name of this enum");
}

Test(enum_parse, a_missing_piece_is_told_by_its_column)
{
	cr_expect_str_eq(reason_of("toy_access", "READ|", -EINVAL), "a name is missing at column 6");
	cr_expect_str_eq(reason_of("toy_access", "READ||WRITE", -EINVAL), "a name is missing at column 6");
	cr_expect_str_eq(reason_of("toy_color", "", -EINVAL), "a name is missing at column 1");
	cr_expect_str_eq(reason_of("toy_color", NULL, -EINVAL), "the text is NULL");
}

Test(enum_parse, single_values_are_not_joined)
{
	reason_of("toy_color", "RED|GREEN", -EINVAL);
}

Test(enum_parse, a_sentinel_is_refused)
{
	cr_expect_str_eq(reason_of("toy_color", "last", -EINVAL),
			 "\"last\" at column 1 stands for no valid value");
}

Test(enum_parse, half_a_number_is_refused)
{
	reason_of("toy_color", "12x", -EINVAL);
	reason_of("toy_color", "0x", -EINVAL);
	reason_of("toy_color", "09", -EINVAL);
	reason_of("toy_color", "-", -EINVAL);
	reason_of("toy_color", "toy_color(", -EINVAL);
	reason_of("toy_color", "toy_color()", -EINVAL);
	reason_of("toy_color", "toy_state(1)", -EINVAL);
}

Test(enum_parse, a_very_long_text_is_refused_in_few_words)
{
	char text[4096];

	memset(text, 'A', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	cr_expect_lt(strlen(reason_of("toy_color", text, -EINVAL)), 128);
}

Test(enum_parse, the_prefix_alone_is_no_name)
{
	reason_of("toy_color", "TOY_COLOR_", -EINVAL);
}

Test(enum_parse, of_an_enum_that_is_not_known_only_numbers_are_understood)
{
	int64_t value = UNTOUCHED;

	cr_expect_eq(vx_enum_parse(NULL, "red", &value), -EINVAL);
	cr_expect_str_eq(vx_error()->object, "unknown");
	cr_expect_str_eq(vx_error()->reason, "\"red\" at column 1 is no name: the enum is NULL");
	cr_expect_eq(value, UNTOUCHED);
	cr_expect_eq(vx_enum_parse(NULL, "unknown(37)", &value), 0);
	cr_expect_eq(value, 37);
}

/* What is read into an integer of a size: bytes around it stay. */
static int into(const char *tag, const char *text, size_t size, uint64_t *value)
{
	union { uint8_t one; uint16_t two; uint32_t four; uint64_t eight; uint8_t bytes[16]; } at;
	int rc;
	size_t i;

	memset(&at, 0xa5, sizeof(at));
	rc = vx_enum_parse_sized(toy_enum(tag), text, &at, size);
	for (i = rc ? 0 : size; i < sizeof(at); i++)
		cr_expect_eq(at.bytes[i], 0xa5, "byte %zu was written", i);
	*value = size == 1 ? at.one : size == 2 ? at.two : size == 4 ? at.four : at.eight;
	return rc;
}

Test(enum_parse, into_an_integer_of_any_size)
{
	size_t size;
	uint64_t value;

	for (size = 1; size <= 8; size *= 2) {
		cr_expect_eq(into("toy_color", "violet", size, &value), 0);
		cr_expect_eq(value, 255, "%zu bytes", size);
	}
}

Test(enum_parse, no_integer_is_of_another_size)
{
	static const size_t sizes[] = { 0, 3, 5, 6, 7, 16 };
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		cr_expect_eq(into("toy_color", "violet", sizes[i], &value), -EINVAL, "%zu bytes", sizes[i]);
	cr_expect_str_eq(vx_error()->reason, "size = 16, which is none of 1, 2, 4 and 8");
}

Test(enum_parse, what_does_not_fit_is_refused)
{
	uint64_t value;

	cr_expect_eq(into("toy_color", "toy_color(256)", 1, &value), -ERANGE);
	cr_expect_str_eq(vx_error()->reason, "256 is not of 8 bits");
	cr_expect_eq(into("toy_color", "toy_color(0x100000000)", 4, &value), -ERANGE);
	cr_expect_eq(into("toy_access", "far", 4, &value), -ERANGE);
	cr_expect_eq(into("toy_access", "far", 8, &value), 0);
	cr_expect_eq(value, TOY_ACCESS_FAR);
	cr_expect_eq(into("toy_color", "redd", 4, &value), -EINVAL);
}

Test(enum_parse, a_negative_value_fits_where_an_enumerator_is_negative)
{
	uint64_t value;

	cr_expect_eq(into("toy_color", "toy_color(-1)", 4, &value), -ERANGE);
	cr_expect_eq(into("toy_state", "broken", 4, &value), 0);
	cr_expect_eq(value, UINT32_MAX);
	cr_expect_eq(into("toy_state", "toy_state(-128)", 1, &value), 0);
	cr_expect_eq(into("toy_state", "toy_state(-129)", 1, &value), -ERANGE);
	cr_expect_eq(into("toy_state", "toy_state(127)", 1, &value), 0);
	cr_expect_eq(into("toy_state", "toy_state(128)", 1, &value), -ERANGE);
}
