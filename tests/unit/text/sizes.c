/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toy.h"

/* In memory that ends where the structure ends, so that AddressSanitizer and Valgrind see a read beyond. */
static void *copy_of(const void *ptr, size_t size)
{
	void *copy = malloc(size ? size : 1);

	memcpy(copy, ptr, size);
	return copy;
}

static const char *text_of_part(enum toy_struct which, const void *ptr, size_t size, int style)
{
	void *copy = copy_of(ptr, size);
	const char *text = toy_text(which, copy, size, style);

	free(copy);
	return text;
}

Test(sizes, fields_beyond_an_older_structure_are_left_out)
{
	const struct toy_attr attr = { .comp_mask = 1 };

	cr_expect_str_eq(text_of_part(TOY_ATTR, &attr, offsetof(struct toy_attr, old), VX_COMPACT),
			 "{comp_mask=0x1 guarded=0}");
}

Test(sizes, half_a_field_is_left_out)
{
	const struct toy_attr attr = { .comp_mask = 1 };

	cr_expect_str_eq(text_of_part(TOY_ATTR, &attr, offsetof(struct toy_attr, guarded) + 3, VX_COMPACT),
			 "{comp_mask=0x1}");
	cr_expect_str_eq(text_of_part(TOY_ATTR, &attr, 0, VX_COMPACT), "{}");
}

Test(sizes, what_there_is_of_a_nested_structure_is_shown)
{
	const struct toy_attr attr = { .cap = { 1, 2 } };

	cr_expect_str_eq(text_of_part(TOY_ATTR, &attr, offsetof(struct toy_attr, cap.max_sge), VX_COMPACT),
			 "{comp_mask=0x0 old=0 asked=0 cap={max_wr=1}}");
}

Test(sizes, a_newer_structure_shows_what_is_known)
{
	const struct toy_sge sges[2] = { { 1, 2 }, { 3, 4 } };

	cr_expect_str_eq(toy_text(TOY_SGE, sges, sizeof(sges), VX_COMPACT), "{addr=0x1 length=2}");
}

Test(sizes, new_members_at_the_front_shift_the_rest)
{
	const uint32_t older[] = { 2, 3, 4 }, newer[] = { 9, 7, 2, 3, 4 };

	cr_expect_str_eq(text_of_part(TOY_FRONT, older, sizeof(older), VX_COMPACT), "{middle=2 oldest=3}");
	cr_expect_str_eq(text_of_part(TOY_FRONT, newer, sizeof(newer), VX_COMPACT),
			 "{newest=7 middle=2 oldest=3 chosen=4}");
}

Test(sizes, a_selector_that_cannot_be_read_selects_nothing)
{
	const uint32_t older[] = { 7, 7, 7 };

	cr_expect_str_eq(text_of_part(TOY_FRONT, older, sizeof(older), VX_COMPACT), "{middle=7 oldest=7}");
	cr_expect_str_eq(text_of_part(TOY_FRONT, older, sizeof(older), VX_COMPACT | VX_ALL),
			 "{middle=7 oldest=7 chosen=7}");
}

Test(sizes, a_flexible_array_ends_with_its_count_and_with_the_memory)
{
	uint32_t words[] = { 3, 0x00020001, 0x00040003 };

	cr_expect_str_eq(text_of_part(TOY_TAIL, words, 12, VX_COMPACT), "{count=3 items=[1,2,3]}");
	cr_expect_str_eq(text_of_part(TOY_TAIL, words, 8, VX_COMPACT), "{count=3 items=[1,2]}");
	cr_expect_str_eq(text_of_part(TOY_TAIL, words, 7, VX_COMPACT), "{count=3 items=[1]}");
	cr_expect_str_eq(text_of_part(TOY_TAIL, words, 4, VX_COMPACT), "{count=3}");
	words[0] = 4000000000;
	cr_expect_str_eq(text_of_part(TOY_TAIL, words, 8, VX_COMPACT), "{count=4000000000 items=[1,2]}");
}

Test(sizes, any_bytes_of_any_size_in_any_style)
{
	static const int styles[] = { VX_TEXT,		VX_COMPACT,	     VX_JSON,
				      VX_TEXT | VX_ALL, VX_COMPACT | VX_ALL, VX_JSON | VX_ALL };
	unsigned char bytes[512];
	unsigned int round, which, i;

	srandom(3);
	for (round = 0; round < 400; round++) {
		size_t size = (size_t)random() % sizeof(bytes);

		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)random();
		for (which = 0; which < TOY_STRUCTS; which++)
			for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
				cr_assert(text_of_part(which, bytes, size, styles[i]));
	}
}

Test(truncation, every_shorter_buffer_holds_the_beginning)
{
	const struct toy_attr attr = { .comp_mask = 1, .used = 2 };
	const struct vx_type type = vx_type_of(toy_struct(TOY_ATTR), sizeof(attr));
	int style;

	for (style = VX_TEXT; style <= VX_JSON; style++) {
		const char *whole = toy_text(TOY_ATTR, &attr, sizeof(attr), style);
		size_t n = strlen(whole), len;

		for (len = 1; len <= n + 1; len++) {
			char *buf = malloc(len);

			cr_assert_eq(vx_snprint(buf, len, type, &attr, style), n);
			cr_assert_eq(strlen(buf), len - 1);
			cr_assert_eq(strncmp(buf, whole, len - 1), 0);
			free(buf);
		}
		cr_assert_eq(vx_snprint(NULL, 0, type, &attr, style), n);
	}
}

Test(stream, gets_the_same_text_as_a_buffer)
{
	struct toy_wr wrs[20] = { 0 };
	const struct vx_type type = vx_type_of(toy_struct(TOY_WR), sizeof(wrs[0]));
	const char *expected;
	FILE *stream;
	char *text;
	size_t len;

	for (len = 0; len < 19; len++)
		wrs[len].next = &wrs[len + 1];
	expected = toy_text(TOY_WR, wrs, sizeof(wrs[0]), VX_TEXT | VX_FOLLOW);
	stream = open_memstream(&text, &len);
	cr_expect_gt(strlen(expected), 1024, "the text must not fit in one chunk");
	cr_expect_eq(vx_fprint(stream, type, wrs, VX_TEXT | VX_FOLLOW), 0);
	fclose(stream);
	cr_expect_str_eq(text, expected);
	free(text);
}

Test(stream, tells_that_it_could_not_be_written)
{
	const struct toy_sge sge = { 1, 2 };
	FILE *full = fopen("/dev/full", "w");

	cr_assert(full);
	setvbuf(full, NULL, _IONBF, 0);
	cr_expect_eq(vx_fprint(full, vx_type_of(toy_struct(TOY_SGE), sizeof(sge)), &sge, VX_TEXT), -ENOSPC);
	fclose(full);
}

Test(stream, honours_the_mask_beside_the_structure)
{
	const struct toy_attr attr = { .comp_mask = 0 };
	char *text;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	cr_expect_eq(vx_fprint_mask(stream, vx_type_of(toy_struct(TOY_ATTR), sizeof(attr)), &attr, 0,
				    VX_COMPACT),
		     0);
	fclose(stream);
	cr_expect_null(strstr(text, "asked"));
	free(text);
}
