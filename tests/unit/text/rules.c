/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <string.h>

#include "toy.h"

static const char *attr_text(const struct toy_attr *attr, uint64_t mask, int style)
{
	static char texts[4][512];
	static unsigned int turn;
	char *text = texts[turn++ % 4];

	vx_snprint_mask(text, sizeof(texts[0]), vx_type_of(toy_struct(TOY_ATTR), sizeof(*attr)), attr, mask,
			style);
	return text;
}

static bool shows(const struct toy_attr *attr, uint64_t mask, int style, const char *name)
{
	return strcmp(toy_line(attr_text(attr, mask, style), name), "(no such line)");
}

#define SHOWS(name, mask, style, ...) shows(&(struct toy_attr){ __VA_ARGS__ }, mask, style, name)

Test(rules, a_guarded_field_shows_with_its_bit)
{
	cr_expect(SHOWS("guarded", VX_MASK_ALL, VX_TEXT, .comp_mask = 1));
	cr_expect_not(SHOWS("guarded", VX_MASK_ALL, VX_TEXT, .comp_mask = 2));
}

Test(rules, a_field_may_vanish_with_a_bit)
{
	cr_expect(SHOWS("old", VX_MASK_ALL, VX_TEXT, .comp_mask = 1));
	cr_expect_not(SHOWS("old", VX_MASK_ALL, VX_TEXT, .comp_mask = 2));
}

Test(rules, the_mask_beside_the_structure_selects)
{
	cr_expect(SHOWS("asked", 4, VX_TEXT, .comp_mask = 0));
	cr_expect_not(SHOWS("asked", 3, VX_TEXT, .comp_mask = 0));
	cr_expect(SHOWS("used", 0, VX_TEXT, .comp_mask = 0));
}

Test(rules, what_is_never_valid_shows_only_with_all)
{
	cr_expect_not(SHOWS("hidden", VX_MASK_ALL, VX_TEXT, .comp_mask = 3));
	cr_expect(SHOWS("hidden", VX_MASK_ALL, VX_TEXT | VX_ALL, .comp_mask = 3));
}

Test(rules, all_shows_what_no_mask_selects)
{
	cr_expect(SHOWS("guarded", 0, VX_TEXT | VX_ALL, .comp_mask = 2));
	cr_expect(SHOWS("old", 0, VX_TEXT | VX_ALL, .comp_mask = 2));
	cr_expect(SHOWS("asked", 0, VX_TEXT | VX_ALL, .comp_mask = 2));
}

Test(rules, a_counter_decides_how_much_of_an_array_counts)
{
	const struct toy_attr none = { .used = 0 }, two = { .used = 2, .values = { 7, 8, 9 } },
			      many = { .used = 99 };

	cr_expect_str_eq(toy_line(attr_text(&none, 0, VX_TEXT), "values"), "[]");
	cr_expect_str_eq(toy_line(attr_text(&two, 0, VX_TEXT), "values"), "[7, 8]");
	cr_expect_str_eq(toy_line(attr_text(&many, 0, VX_TEXT), "values"), "[0, 0, 0, 0]");
}

static const char *wr_text(const struct toy_wr *wr, int style)
{
	const char *text = strstr(toy_text(TOY_WR, wr, sizeof(*wr), style), " wr=");
	char *end;

	if (!text)
		return "(none)";
	end = strstr(text, " numbers=");
	*end = '\0';
	return text + 1;
}

Test(unions, the_selector_around_it_chooses_the_member)
{
	const struct toy_wr near = { .opcode = 1, .wr.near.key = 5 },
			    far = { .opcode = 2, .wr.far = { 6, NULL } };

	cr_expect_str_eq(wr_text(&near, VX_COMPACT), "wr={near={key=5}}");
	cr_expect_str_eq(wr_text(&far, VX_COMPACT), "wr={far={key=6 note=NULL}}");
}

Test(unions, a_chain_of_rules_must_hold_as_a_whole)
{
	const struct toy_wr far = { .opcode = 2, .wr.far = { 0, NULL } };

	cr_expect_str_eq(wr_text(&far, VX_COMPACT), "wr={far={key=0}}");
}

Test(unions, one_without_a_valid_member_is_left_out)
{
	const struct toy_wr none = { .opcode = 0 };

	cr_expect_str_eq(wr_text(&none, VX_COMPACT), "(none)");
}

Test(unions, all_shows_every_member)
{
	const struct toy_wr none = { .opcode = 0, .wr.far = { 6, NULL } };

	cr_expect_str_eq(wr_text(&none, VX_COMPACT | VX_ALL), "wr={near={key=6} far={key=6 note=NULL}}");
}
