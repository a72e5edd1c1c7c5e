/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "text/table.h"
#include "toy.h"

static const struct toy_kinds kinds = {
	.number = 5,
	.negative = -3,
	.truth = 1,
	.color = TOY_COLOR_BLUE,
	.state = TOY_STATE_ON,
	.access = 0x100001,
	.colors = 0x12,
	.speed = 2,
	.spec = 0x120,
	.text = "a b",
	.blob = { 1, 2, 3, 4 },
	.pointer = (void *)0x12,
	.list = { 1, 2, 3 },
	.gid.raw = { 0xfe, 0x80, [15] = 1 },
};

static const struct toy_attr attr = { .cap = { 1, 2 }, .caps = { { 3, 4 }, { 5, 6 } }, .used = 1 };

static const char *kinds_in(int style)
{
	return toy_text(TOY_KINDS, &kinds, sizeof(kinds), style);
}

static const char *attr_in(int style)
{
	return toy_text(TOY_ATTR, &attr, sizeof(attr), style);
}

Test(text, a_line_a_field_with_aligned_colons)
{
	cr_expect_str_eq(kinds_in(VX_TEXT), "number   : 5\n"
					    "negative : -3\n"
					    "truth    : true\n"
					    "color    : TOY_COLOR_BLUE (3)\n"
					    "state    : TOY_STATE_ON (1)\n"
					    "access   : TOY_ACCESS_READ|0x100000 (0x100001)\n"
					    "colors   : TOY_COLOR_GREEN|0x10 (0x12)\n"
					    "speed    : 5 \"Gb/s\" (2)\n"
					    "spec     : TOY_SPEC_ETH|TOY_SPEC_INNER (288)\n"
					    "text     : a b\n"
					    "blob     : 01020304\n"
					    "pointer  : 0x12\n"
					    "function : NULL\n"
					    "list     : [1, 2, 3]\n"
					    "big      : 0\n"
					    "gid      : fe80::1\n");
}

Test(text, nested_structures_are_indented_blocks)
{
	cr_expect_str_eq(attr_in(VX_TEXT), "comp_mask : 0x0\n"
					   "old       : 0\n"
					   "asked     : 0\n"
					   "cap:\n"
					   "  max_wr  : 1\n"
					   "  max_sge : 2\n"
					   "caps[0]:\n"
					   "  max_wr  : 3\n"
					   "  max_sge : 4\n"
					   "caps[1]:\n"
					   "  max_wr  : 5\n"
					   "  max_sge : 6\n"
					   "used      : 1\n"
					   "values    : [0]\n");
}

Test(text, begins_as_deep_as_asked)
{
	const struct toy_sge sge = { 0x1000, 5 };

	cr_expect_str_eq(toy_text(TOY_SGE, &sge, sizeof(sge), VX_TEXT | 2 * VX_INDENT),
			 "    addr   : 0x1000\n"
			 "    length : 5\n");
}

Test(compact, everything_in_one_line)
{
	cr_expect_str_eq(
		kinds_in(VX_COMPACT),
		"{number=5 negative=-3 truth=true color=TOY_COLOR_BLUE(3) state=TOY_STATE_ON(1) "
		"access=TOY_ACCESS_READ|0x100000(0x100001) colors=TOY_COLOR_GREEN|0x10(0x12) "
		"speed=\"5 \\\"Gb/s\\\"\"(2) spec=TOY_SPEC_ETH|TOY_SPEC_INNER(288) text=\"a b\" blob=01020304 "
		"pointer=0x12 function=NULL list=[1,2,3] big=0 gid=fe80::1}");
}

Test(compact, blocks_are_in_braces)
{
	cr_expect_str_eq(attr_in(VX_COMPACT),
			 "{comp_mask=0x0 old=0 asked=0 cap={max_wr=1 max_sge=2} "
			 "caps=[{max_wr=3 max_sge=4},{max_wr=5 max_sge=6}] used=1 values=[0]}");
}

Test(compact, a_text_is_quoted_unless_it_is_a_plain_word)
{
	struct toy_kinds k = { .text = "16.35.1" };

	cr_expect(strstr(toy_text(TOY_KINDS, &k, sizeof(k), VX_COMPACT), " text=16.35.1 "));
	memcpy(k.text, "a=b", 4);
	cr_expect(strstr(toy_text(TOY_KINDS, &k, sizeof(k), VX_COMPACT), " text=\"a=b\" "));
	memcpy(k.text, "\"\\\n", 4);
	cr_expect(strstr(toy_text(TOY_KINDS, &k, sizeof(k), VX_COMPACT), " text=\"\\\"\\\\\\x0a\" "));
	k.text[0] = '\0';
	cr_expect(strstr(toy_text(TOY_KINDS, &k, sizeof(k), VX_COMPACT), " text=\"\" "));
}

Test(json, an_object_with_the_field_names_as_keys)
{
	cr_expect_str_eq(
		kinds_in(VX_JSON),
		"{\"number\": 5, \"negative\": -3, \"truth\": true, \"color\": {\"value\": 3, \"name\": \"TOY_COLOR_BLUE\"}, "
		"\"state\": {\"value\": 1, \"name\": \"TOY_STATE_ON\"}, "
		"\"access\": {\"value\": \"1048577\", \"names\": [\"TOY_ACCESS_READ\"], \"unknown\": \"1048576\"}, "
		"\"colors\": {\"value\": 18, \"names\": [\"TOY_COLOR_GREEN\"], \"unknown\": 16}, "
		"\"speed\": {\"value\": 2, \"text\": \"5 \\\"Gb/s\\\"\"}, "
		"\"spec\": {\"value\": 288, \"name\": \"TOY_SPEC_ETH|TOY_SPEC_INNER\"}, \"text\": \"a b\", \"blob\": \"01020304\", "
		"\"pointer\": {\"address\": \"0x12\"}, \"function\": null, \"list\": [1, 2, 3], \"big\": 0, "
		"\"gid\": \"fe80::1\"}");
}

Test(json, nested_structures_are_objects)
{
	cr_expect_str_eq(
		attr_in(VX_JSON),
		"{\"comp_mask\": 0, \"old\": 0, \"asked\": 0, \"cap\": {\"max_wr\": 1, \"max_sge\": 2}, "
		"\"caps\": [{\"max_wr\": 3, \"max_sge\": 4}, {\"max_wr\": 5, \"max_sge\": 6}], "
		"\"used\": 1, \"values\": [0]}");
}

Test(json, a_field_has_one_type_whatever_its_value)
{
	const struct toy_kinds k = {
		.color = (enum toy_color)37, .state = (enum toy_state) - 7, .speed = 9, .truth = 5
	};
	const struct toy_forms f = { .page_sizes = 0, .ack_timeout = 200, .retry = 3 };
	const char *text = toy_text(TOY_KINDS, &k, sizeof(k), VX_JSON);

	cr_expect(strstr(text, "\"truth\": true, \"color\": {\"value\": 37, \"name\": null}, "
			       "\"state\": {\"value\": -7, \"name\": null}, "
			       "\"access\": {\"value\": \"0\", \"names\": [], \"unknown\": \"0\"}, "), "%s", text);
	cr_expect(strstr(text, "\"speed\": {\"value\": 9, \"text\": \"9\"}, "), "%s", text);
	text = toy_text(TOY_FORMS, &f, sizeof(f), VX_JSON);
	cr_expect(strstr(text, "\"page_sizes\": {\"value\": \"0\", \"text\": \"0\"}, "), "%s", text);
	cr_expect(strstr(text, "\"ack_timeout\": {\"value\": 200, \"text\": \"200\"}, "), "%s", text);
	cr_expect(strstr(text, "\"retry\": {\"value\": 3, \"text\": \"3\"}, "), "%s", text);
}

Test(json, numbers_of_64_bits_are_strings_that_keep_every_digit)
{
	const struct toy_forms f = { .hex = UINT64_MAX, .bytes = UINT64_MAX };
	const char *text = toy_text(TOY_FORMS, &f, sizeof(f), VX_JSON);

	cr_expect(strstr(text, "{\"hex\": \"18446744073709551615\", "), "%s", text);
	cr_expect(strstr(text, "\"bytes\": {\"value\": \"18446744073709551615\", \"text\": \"16.0 EiB\"}"), "%s",
		  text);
}

Test(json, what_has_64_bits_on_other_machines_is_a_string_on_all)
{
	const struct toy_forms f = { .size = 5 };
	const char *text = toy_text(TOY_FORMS, &f, sizeof(f), VX_JSON);

	cr_expect(strstr(text, "\"size\": \"5\"}"), "%s", text);
}

Test(json, a_time_is_an_object)
{
	const struct toy_forms f = { .time = { 1, 500 } };
	const char *text = toy_text(TOY_FORMS, &f, sizeof(f), VX_JSON);

	cr_expect(strstr(text, "\"time\": {\"tv_sec\": \"1\", \"tv_nsec\": \"500\"}, "), "%s", text);
}

Test(json, what_is_known_in_part_has_no_name)
{
	const struct toy_kinds k = { .spec = (enum toy_spec)(TOY_SPEC_INNER | 0x7f) };
	const char *text = toy_text(TOY_KINDS, &k, sizeof(k), VX_JSON);

	cr_expect(strstr(text, "\"spec\": {\"value\": 383, \"name\": null}, "), "%s", text);
}

Test(json, a_default_and_a_none_keep_their_types)
{
	const struct toy_forms f = { .plenty = 0x80000000 }, g = { .plenty = 3, .wanted = TOY_COLOR_BLUE };
	const char *text = toy_text(TOY_FORMS, &f, sizeof(f), VX_JSON);

	cr_expect(strstr(text, "\"plenty\": {\"value\": 2147483648, \"text\": \"VX_NONE\"}, \"wanted\": {\"value\": 0, \"name\": null}, "
			       "\"rights\": {\"value\": 0, \"names\": [], \"unknown\": 0}, "), "%s", text);
	text = toy_text(TOY_FORMS, &g, sizeof(g), VX_JSON);
	cr_expect(strstr(text, "\"plenty\": {\"value\": 3, \"text\": \"3\"}, \"wanted\": {\"value\": 3, \"name\": \"TOY_COLOR_BLUE\"}, "), "%s", text);
}

static const char *text_in_json(const char *bytes)
{
	struct toy_kinds k = { 0 };
	const char *text;
	char *end;

	memcpy(k.text, bytes, strlen(bytes));
	text = strstr(strstr(toy_text(TOY_KINDS, &k, sizeof(k), VX_JSON), "\"spec\""), "\"text\": ");
	end = strstr(text, ", \"blob\"");
	*end = '\0';
	return text + strlen("\"text\": ");
}

Test(json, strings_keep_every_byte)
{
	cr_expect_str_eq(text_in_json("a\"b\\c"), "\"a\\\"b\\\\c\"");
	cr_expect_str_eq(text_in_json("\x01\x1f\x7f"), "\"\\u0001\\u001f\\u007f\"");
	cr_expect_str_eq(text_in_json("\xc3\xa4\xe2\x82\xac"), "\"\xc3\xa4\xe2\x82\xac\"");
	cr_expect_str_eq(text_in_json("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"");
}

Test(json, bytes_that_are_no_utf8_become_escapes)
{
	cr_expect_str_eq(text_in_json("\xff"
				      "a"),
			 "\"\\u00ffa\"");
	cr_expect_str_eq(text_in_json("\xc3"), "\"\\u00c3\"");
	cr_expect_str_eq(text_in_json("\xc0\x80"), "\"\\u00c0\\u0080\"");
	cr_expect_str_eq(text_in_json("\xed\xa0\x80"), "\"\\u00ed\\u00a0\\u0080\"");
	cr_expect_str_eq(text_in_json("\xf4\x90\x80\x80"), "\"\\u00f4\\u0090\\u0080\\u0080\"");
	cr_expect_str_eq(text_in_json("\xe0\x80\x80"), "\"\\u00e0\\u0080\\u0080\"");
	cr_expect_str_eq(text_in_json("\xf0\x80\x80\x80"), "\"\\u00f0\\u0080\\u0080\\u0080\"");
	cr_expect_str_eq(text_in_json("\xe2\x82"), "\"\\u00e2\\u0082\"");
}

Test(json, the_validator_knows_right_from_wrong)
{
	cr_assert(setlocale(LC_ALL, "C.UTF-8"));
	cr_expect(json_is_valid("{\"a\": [1, -2, {\"b\": null}], \"c\": \"\\u00ff\"}"));
	cr_expect_not(json_is_valid("{\"a\": 1,}"));
	cr_expect_not(json_is_valid("{\"a\" 1}"));
	cr_expect_not(json_is_valid("[01]"));
	cr_expect_not(json_is_valid("\"\xff\""));
	cr_expect_not(json_is_valid("\"\n\""));
	cr_expect_not(json_is_valid("{} {}"));
	cr_expect_not(json_is_valid("\"open"));
}

Test(json, any_bytes_make_valid_json)
{
	static const size_t sizes[TOY_STRUCTS] = {
		16,
		16,
		sizeof(struct toy_kinds),
		sizeof(struct toy_forms),
		sizeof(struct toy_sge),
		sizeof(struct toy_wr),
		16,
		4,
		16,
		sizeof(struct toy_cap),
		sizeof(struct toy_attr),
		sizeof(struct toy_loose),
		8,
		sizeof(struct toy_front),
		sizeof(struct toy_tail) + 20,
		sizeof(struct toy_node),
		sizeof(struct toy_rare),
		sizeof(struct toy_secret),
	};
	unsigned char bytes[1024];
	unsigned int round, which, i;

	cr_assert(setlocale(LC_ALL, "C.UTF-8"));
	srandom(7);
	for (round = 0; round < 300; round++) {
		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = round % 2 ? (unsigned char)random() : random() % 4 == 0;
		for (which = 0; which < TOY_STRUCTS; which++) {
			int style = VX_JSON | (round & 4 ? VX_ALL : 0);
			const char *text = toy_text(which, bytes, sizes[which], style);

			cr_assert(json_is_valid(text), "%s", text);
		}
	}
}

Test(styles, a_null_structure)
{
	cr_expect_str_eq(toy_text(TOY_SGE, NULL, sizeof(struct toy_sge), VX_TEXT), "NULL\n");
	cr_expect_str_eq(toy_text(TOY_SGE, NULL, sizeof(struct toy_sge), VX_COMPACT), "NULL");
	cr_expect_str_eq(toy_text(TOY_SGE, NULL, sizeof(struct toy_sge), VX_JSON), "null");
}

Test(styles, an_unknown_type)
{
	char buf[8] = "";

	vx_snprint(buf, sizeof(buf), vx_type_of(NULL, 4), buf, VX_COMPACT);
	cr_expect_str_eq(buf, "?");
	vx_snprint(buf, sizeof(buf), vx_type_of(NULL, 4), buf, VX_JSON);
	cr_expect_str_eq(buf, "\"?\"");
}

Test(styles, a_structure_of_one_value_is_that_value)
{
	const union toy_gid gid = { .raw = { [15] = 1 } };

	cr_expect_str_eq(toy_text(TOY_GID, &gid, sizeof(gid), VX_TEXT), "::1\n");
	cr_expect_str_eq(toy_text(TOY_GID, &gid, sizeof(gid), VX_COMPACT), "::1");
	cr_expect_str_eq(toy_text(TOY_GID, &gid, sizeof(gid), VX_JSON), "\"::1\"");
}

Test(styles, a_structure_is_found_by_its_number)
{
	cr_expect_eq(vx_struct_by_id(1), &vx_structs[TOY_SGE]);
	cr_expect_eq(vx_struct_by_id(3), &vx_structs[TOY_GID]);
	cr_expect_eq(vx_struct_by_any_id(3), &vx_structs[TOY_GID]);
}

Test(styles, a_structure_of_the_second_part_is_found_by_its_number)
{
	cr_expect_eq(vx_struct_by_id(4), &vx_more_structs[TOY_SECRET - TOY_NODE]);
	cr_expect_eq(vx_struct_by_any_id(4), &vx_more_structs[TOY_SECRET - TOY_NODE]);
}

Test(styles, rows_and_indices_of_both_parts_are_the_same_thing)
{
	unsigned int i;

	for (i = 0; i < vx_struct_count; i++)
		cr_expect_eq(vx_struct_index(vx_struct_row(i)), i);
	cr_expect_eq(vx_struct_row(TOY_NODE - 1), &vx_structs[TOY_NODE - 1]);
	cr_expect_eq(vx_struct_row(TOY_NODE), vx_more_structs);
}

Test(styles, a_number_of_another_libverbsx_finds_no_structure)
{
	cr_expect_null(vx_struct_by_id(0));
	cr_expect_null(vx_struct_by_id(2));
	cr_expect_null(vx_struct_by_id(5));
	cr_expect_null(vx_struct_by_any_id(5));
	cr_expect_null(vx_struct_by_id(UINT32_MAX));
}
